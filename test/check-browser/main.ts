// Signs in and pays in a real browser against the local stack, as people do.
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { startLocal } from "../../local/stack.ts";
import { installedBrowser, openBrowser } from "./browser.ts";
import { serveConsole } from "./console.ts";
import { checkInvitation } from "./invitation.ts";
import { checkPayment } from "./payment.ts";
import { personAt } from "./person.ts";
import { checkSignIn } from "./sign-in.ts";

const command = installedBrowser();
if (command === undefined) {
  console.log("Skipped: there is no Chromium on the PATH.");
  process.exit(0);
}

/** The console's registered addresses on this machine. No page leads anywhere else. */
const registered = JSON.parse((await readStackConfig(localStackFile))["archway:console"] ?? "{}");
const here = (urls: string[]) => urls.filter((url) => new URL(url).hostname === "localhost");
const console_ = { callbackUrls: here(registered.callbackUrls), logoutUrls: here(registered.logoutUrls) };
const config = { "archway:console": JSON.stringify(console_) };

const stack = await startLocal({ port: 0, ephemeral: true, config });
try {
  const { origin, close } = await serveConsole(stack);
  const browser = await openBrowser(command);
  try {
    const person = personAt(stack, browser, origin);
    await checkSignIn(stack, browser, person, origin);
    await checkInvitation(stack, browser, person);
    await checkPayment(stack, browser, origin);
  } finally {
    await browser.close();
    close();
  }
} finally {
  await stack.stop();
}
