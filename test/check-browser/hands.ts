// How a person reaches what they want to use: with a mouse, or by the keyboard alone.
import type { Locator, Page } from "playwright-core";

export type Hands = {
  enter: (field: Locator, text: string) => Promise<void>;
  press: (button: Locator) => Promise<void>;
};

export const mouse: Hands = { enter: (field, text) => field.fill(text), press: (button) => button.click() };

/** Longer ways than this no page has. */
const mostSteps = 80;

export function keyboard(page: Page): Hands {
  const reach = async (wanted: Locator) => {
    await wanted.waitFor();
    for (let step = 0; step < mostSteps; step++) {
      if (await wanted.evaluate((element) => element.matches(":focus, a:focus *, button:focus *"))) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the keyboard does not reach ${wanted} at ${page.url()}`);
  };
  return {
    async enter(field, text) {
      await reach(field);
      await page.keyboard.type(text);
    },
    async press(button) {
      await reach(button);
      await page.keyboard.press("Enter");
    },
  };
}
