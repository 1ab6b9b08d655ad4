// A machine whose clock is a day wrong, either way: months, tokens and ends of keys go by the platform's time.
import type { Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";

const dayMs = 86_400_000;

export async function wrongClock(stage: Stage): Promise<void> {
  const { person } = await stage.workspace();
  for (const wrongMs of [dayMs, -dayMs]) {
    const { page } = await stage.visit();
    await page.clock.install({ time: Date.now() + wrongMs });
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 400) refused.push(response.url());
    });
    await page.goto(`${stage.console}/usage`);
    await signIn(page, person);
    await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
    const today = new Date(stage.stack.clock.now()).toISOString().slice(0, 10);
    // Whatever days are chosen before and after, by key and session.
    for (const by of ["key", "session"]) {
      await page.getByLabel("From").fill("2026-01-01");
      await page.getByLabel("By", { exact: true }).selectOption(by);
      await page.getByLabel("Day", { exact: true }).fill(today);
      await page.getByText("Nothing was used in these days.").waitFor();
      await page.getByLabel("By", { exact: true }).selectOption("model");
      await page.getByLabel("From").fill("2026-11-20");
      await page.getByLabel("To", { exact: true }).fill("2026-11-10");
      await page.waitForSelector(".skeleton", { state: "detached" });
    }
    if (refused.length > 0) throw new Error(`the API refused ${refused.join(" ")}`);

    await page.goto(`${stage.console}/keys`);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill(`Clock ${wrongMs}`);
    await page.getByLabel("Ends").selectOption("30");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("button", { name: "I have stored it" }).click();
    const { data } = await stage.api(person, "GET", "/v1/keys?limit=1");
    const left = (Date.parse(data[0].expires_at) - stage.stack.clock.now()) / dayMs;
    if (Math.abs(left - 30) > 0.1) throw new Error(`a key that ends in 30 days ends in ${left}`);
  }
}
