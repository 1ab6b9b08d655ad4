// Somebody whom the platform's administrators have not approved: nobody is stopped by that, unless the stack asks for approval. Then the
// page says what is the case, without its form. The stack here approves everybody, so the browser is told otherwise.
import { signUp } from "../../../local/demo/workspace.ts";
import { inspect } from "../inspect.ts";
import { expect, type Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";

/** @returns problems of the page */
export async function approval(stage: Stage): Promise<string[]> {
  const person = await signUp(stage.stack, stage.address("new"));
  const { page } = await stage.visit();
  await page.route(/\/v1\/me$/, async (route) => {
    if (route.request().method() === "OPTIONS") return route.continue();
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), approval_status: "pending" } });
  });
  await page.goto(stage.console);
  await signIn(page, person);
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();

  const config = await page.evaluate<object>("fetch('/config.json').then((it) => it.json())");
  await page.route(/\/config\.json$/, (route) => route.fulfill({ json: { ...config, approval: "manual" } }));
  await page.goto(`${stage.console}/keys`);
  await page.getByText("An administrator of the platform has to approve you").waitFor();
  expect("forms", await page.locator("form").count(), 0);
  return inspect(page, "not-approved");
}
