// Every dialog that pages open, but for those that a play of their own looks at: it breaks no rule of axe-core, fits a phone, is closed by
// Esc, and gives the focus back to what opened it.
import type { Page } from "playwright-core";
import { inspect } from "../inspect.ts";
import { grantOf, type Stage } from "../stage.ts";

type Opener = { path: string; button: string | RegExp; further?: (page: Page) => Promise<unknown> };

const ofOwner: readonly Opener[] = [
  { path: "/keys", button: "Create key" },
  {
    path: "/keys",
    button: "Create key",
    further: (page) => page.getByLabel("For", { exact: true }).selectOption("service_account"),
  },
  { path: "/keys", button: "Rotate" },
  { path: "/keys", button: "Revoke" },
  { path: "/people", button: "Invite" },
  { path: "/skills", button: "Upload a skill" },
  { path: "/skills", button: "Add a secret" },
  { path: "/mcp", button: "Add your own" },
  { path: "/mcp", button: "Add GitHub" },
  { path: "/mcp", button: "New secret" },
  { path: "/mcp", button: "Remove the gateway" },
  { path: "/settings", button: "Delete this workspace" },
  { path: "/account", button: "Sign out everywhere" },
  { path: "/", button: /^Go to/ },
];
const ofPerson: readonly Opener[] = [{ path: "", button: "Remove" }];
const ofDeveloper: readonly Opener[] = [{ path: "/settings", button: "Leave" }];
const ofAdministrator: readonly Opener[] = [{ path: "/admin", button: "Suspend" }];

export async function everyDialog(stage: Stage): Promise<string[]> {
  const { demo } = stage.stack;
  if (!demo) throw new Error("the stack has no administrator");
  const owner = await stage.owner();
  await stage.api(owner.person, "POST", "/v1/keys", { name: "Opened" });
  await stage.api(owner.person, "POST", "/v1/mcp-gateway", {});
  await stage.stack.queuePoller.idle();
  const developer = await stage.developer(owner, grantOf(5));
  const administrator = await stage.signedIn(demo.platform_admin);
  const person = `${stage.console}/people/${developer.person.sub}`;
  return [
    ...(await dialogsOf(owner.page, stage.console, ofOwner)),
    ...(await dialogsOf(owner.page, person, ofPerson)),
    ...(await dialogsOf(developer.page, stage.console, ofDeveloper)),
    ...(await dialogsOf(administrator.page, stage.console, ofAdministrator)),
  ];
}

async function dialogsOf(page: Page, origin: string, openers: readonly Opener[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, button, further } of openers) {
    await page.goto(`${origin}${path}`);
    const opener = page.getByRole("main").or(page.getByRole("banner")).getByRole("button", { name: button }).first();
    await opener.click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await further?.(page);
    const name = `${path} ${button}`;
    problems.push(...(await inspect(page, name)));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    if (!(await opener.evaluate((element) => element.matches(":focus"))))
      problems.push(`${name}: the focus is not where the dialog was opened`);
  }
  console.log(`  ${openers.map(({ button }) => String(button)).join(", ")}`);
  return problems;
}
