// A developer's budget at 80 %, spent, raised and going on; then the developer is removed, and told so.

import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { inspect } from "../inspect.ts";
import { expect, grantOf, type Stage } from "../stage.ts";
import { set } from "../table.ts";

const usd = 1_000_000_000;
/** Instances keep what they have read of a grant, a membership or a key for a minute at the most. */
const heldMs = 61_000;

/** @returns problems of the pages that it leads to */
export async function budget(stage: Stage): Promise<string[]> {
  const { stack } = stage;
  const own = await stage.owner();
  const { page: owner, slug, tenantId } = own;
  const { page: developer, person } = await stage.developer(own, grantOf(5));
  const { email, sub } = person;
  await developer.goto(`${stack.console}/keys`);
  await developer.getByRole("button", { name: "Create key" }).click();
  await developer.getByLabel("Name").fill("Terminal");
  await developer.getByRole("button", { name: "Create", exact: true }).click();
  const key = await developer.locator("code.secret").innerText();
  await developer.getByRole("button", { name: "I have stored it" }).click();

  await owner.goto(`${stack.console}/people`);
  const link = owner.getByRole("link", { name: email });
  const call = () => ask(stage, slug, key);
  const spend = async (amount: number) => {
    const row = spendingRecord.key({ tenant_id: tenantId, caller_id: sub, month: monthOf(stack.clock.now()) });
    for (const name of ["spent", "committed"]) await set(stack, row, name, amount * usd);
  };

  expectStatus(await call(), 200);
  await spend(4.2);
  await owner.reload();
  const row = owner.getByRole("row").filter({ has: link });
  await row.getByText("over 80%").waitFor();
  await developer.goto(stack.console);
  await developer.getByText("over 80%").waitFor();
  console.log("  at 84 % both are told");

  await spend(5);
  const refused = await call();
  if (refused.status < 400 || !/budget/i.test(refused.text)) throw new Error(`a spent budget: ${refused.text}`);
  await developer.reload();
  await developer.getByText("■ spent").waitFor();
  await owner.goto(stack.console);
  await owner.getByText("Budgets near their end").waitFor();
  const problems = await inspect(owner, "overview-budgets", { isPictured: true });
  console.log(`  spent: the terminal reads "${refused.text.slice(0, 110)}", both pages say so`);

  await owner.getByRole("link", { name: email }).click();
  const budgetField = owner.getByLabel("Budget for a month, USD");
  await budgetField.fill("50");
  // Another owner's tab was quicker: both are told, and what was typed stays.
  await stage.api(own.person, "PUT", `/v1/grants/${sub}`, grantOf(6));
  await owner.getByRole("button", { name: "Save" }).click();
  await owner
    .getByRole("alert")
    .filter({ hasText: "It is now $6.00 a month for all models in eu-central-1." })
    .waitFor();
  expect("the field", await budgetField.inputValue(), "50");
  await owner.getByRole("button", { name: "Save" }).click();
  await owner.getByText("Saved. It holds within 60 seconds.").waitFor();
  stack.clock.advance(heldMs);
  expectStatus(await call(), 200);
  console.log("  raised by the owner, the terminal goes on");

  await owner.getByRole("button", { name: "Remove" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await owner.getByRole("heading", { name: "People", level: 1 }).waitFor();
  stack.clock.advance(heldMs);
  expectStatus(await call(), 401);
  await developer.goto(stack.console);
  await developer.getByRole("heading", { name: "You no longer belong to the workspace" }).waitFor();
  problems.push(...(await inspect(developer, "removed", { isPictured: true })));
  console.log(`  removed: the key is refused, and the developer's page says what happened`);
  return problems;
}

/** A plain call in the terminal of whoever has the key. */
export async function ask({ stack }: Stage, slug: string, key: string): Promise<{ status: number; text: string }> {
  const body = { model: "claude-sonnet-5", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
  const response = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

function expectStatus({ status, text }: { status: number; text: string }, expected: number): void {
  if (status !== expected) throw new Error(`the terminal has ${status} and not ${expected}: ${text}`);
}
