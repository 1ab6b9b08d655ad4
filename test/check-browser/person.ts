// Somebody at the browser who signs in to the smallest console, by keyboard.
import type { Stack } from "../../local/running-stack.ts";
import type { Browser } from "./browser.ts";

export type Person = ReturnType<typeof personAt>;

/** The texts of the smallest console (console.js). */
type Shown = {
  id: Record<string, unknown>;
  access: Record<string, unknown>;
  person: Record<string, unknown>;
  me: Record<string, unknown>;
  mine: { status: number; body: Record<string, unknown> };
};

/** @param origin of the console. */
export function personAt(stack: Stack, browser: Browser, origin: string) {
  /** Waits for the page of this heading, and until one can type there. */
  async function expectPage(heading: string): Promise<void> {
    const shown = `document.readyState === "complete" && document.querySelector("h1")?.textContent === ${JSON.stringify(heading)}`;
    await browser.until(`${shown} && [null, document.activeElement].includes(document.querySelector("[autofocus]"))`);
  }

  /** Waits until the console has done what it does, and is in this state. */
  async function expectAtConsole(state: string, problem = ""): Promise<void> {
    const states = JSON.stringify(["signed in", "signed out", "failed"]);
    const text = (id: string) => `document.getElementById("${id}")?.textContent`;
    await browser.until(`location.origin === ${JSON.stringify(origin)} && ${states}.includes(${text("state")})`);
    expect("the console", await browser.evaluate(`[${text("state")}, ${text("problem")}]`), [state, problem]);
  }

  /** Presses a button of the console, and waits for what comes of it there. */
  async function press(button: string): Promise<void> {
    await browser.click(`#${button}`);
    await expectAtConsole(button === "sign-out" ? "signed out" : "signed in");
  }

  return {
    expectPage,
    expectAtConsole,
    press,
    async openSignIn(): Promise<void> {
      await browser.click("#sign-in");
      await expectPage("Sign in");
    },
    /** Fills the fields in their order, from the one that has the focus, and sends the form by the Enter key. */
    async fill(...values: string[]): Promise<void> {
      for (const [index, value] of values.entries()) {
        if (index > 0) await browser.press("Tab");
        await browser.type(value);
      }
      await browser.press("Enter");
    },
    /** Follows a link of the page by its text. */
    follow: (text: string) =>
      browser.evaluate(
        `[...document.querySelectorAll("a")].find(({ textContent }) => textContent === ${JSON.stringify(text)}).click()`,
      ),
    /** The console's statements about the signed-in person. */
    shown: async (): Promise<Shown> =>
      JSON.parse(String(await browser.evaluate(`document.querySelector("#shown").textContent`))),
    /** The text of the last mail to an address, from `/_local/mail`. */
    mailedTo: async (email: string): Promise<string> => {
      const answer = await fetch(`${stack.edge}/_local/mail?to=${encodeURIComponent(email)}`);
      return ((await answer.json()) as { text: string }[]).at(-1)?.text ?? "";
    },
  };
}

export function expect(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}
