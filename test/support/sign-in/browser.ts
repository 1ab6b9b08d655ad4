// A program that stands for a person with a browser: `BROWSER` starts it with an address, and it signs in there.
import { Browser } from "../../../local/demo/sign-in.ts";

const { EMAIL: username = "", PASSWORD: password = "" } = process.env;
const url = process.argv.at(-1) ?? "";
/** No address of an app ends the way: it goes on to the one that waits on this machine. */
const nowhere = "nowhere:";

const browser = new Browser();
await browser.submit(await browser.open(url, nowhere), { username, password }, nowhere);
