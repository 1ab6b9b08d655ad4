// A person before a browser, for clients that send people away to sign in: who has no account signs up on the way, and who was invited
// replaces the mailed password.
import { Browser } from "../../local/demo/sign-in.ts";
import type { Stack } from "../../local/running-stack.ts";

const ownPassword = "Demo-password-1";

/**
 * Opens the address that a client gives for the person.
 * @returns the address at which the client gets them back
 */
export async function comeBack(stack: Stack, email: string, address: string): Promise<string> {
  const browser = new Browser();
  const until = new URL(address).searchParams.get("redirect_uri") ?? "";
  let page = await browser.open(address, until);
  const mailed = () => stack.mailbox.mails(email).at(-1)?.text ?? "";
  if (stack.cognito.subOf(email) === undefined) {
    const [, link = ""] = /href="([^"]*\/signup[^"]*)"/.exec(page.html) ?? [];
    page = await browser.open(new URL(link.replaceAll("&amp;", "&"), page.url).href, until);
    page = await browser.submit(page, { username: email, password: ownPassword }, until);
    page = await browser.submit(page, { code: /\b\d{6}\b/.exec(mailed())?.[0] ?? "" }, until);
  }
  const temporary = /temporary password is:\s+(\S+)/.exec(mailed())?.[1];
  page = await browser.submit(page, { username: email, password: temporary ?? ownPassword }, until);
  if (temporary !== undefined) page = await browser.submit(page, { password: ownPassword }, until);
  if (!page.url.startsWith(until)) throw new Error(`${email} does not come back from ${page.url}`);
  return page.url;
}
