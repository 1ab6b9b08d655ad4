// The page of the first call waits for it: by one small read every two seconds, not while nobody looks, and with help after a minute.
import { expect, type Stage } from "../stage.ts";

const minuteMs = 60_000;

export async function waitsForCall(stage: Stage): Promise<void> {
  const { page } = await stage.owner();
  await page.clock.install();
  await page.goto(`${stage.console}/start`);
  await page.getByText("Waiting for your call").waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "OPTIONS") asked.push(new URL(request.url()).pathname.replace(/^\/@api/, ""));
  });
  const next = async (ms: number) => {
    const answer = page.waitForResponse(/\/v1\/me$/);
    await page.clock.runFor(ms);
    await answer;
  };
  for (let times = 0; times < 3; times++) await next(2_100);
  expect("what is asked", [...new Set(asked)], ["/v1/me"]);

  const setHidden = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      Object.defineProperty(document, "visibilityState", { value: "${isHidden ? "hidden" : "visible"}", configurable: true });
      void document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`);
  await setHidden(true);
  await page.clock.runFor(2_100);
  const before = asked.length;
  await page.clock.runFor(minuteMs);
  expect("what is asked while nobody looks", asked.slice(before), []);
  await setHidden(false);
  await next(2_100);
  await page.getByText("archway doctor").waitFor();

  await page.clock.runFor(2 * minuteMs);
  // From now on every ten seconds: in four there is nothing, or one.
  await next(10_100);
  const later = asked.length;
  await page.clock.runFor(4_000);
  if (asked.length - later > 1)
    throw new Error(`after two minutes it asks ${asked.length - later} times in four seconds`);
}
