// A month is over: its invoice is among the owner's, with its PDF, and in the file of them. This play is the last one, since it moves the clock.
import {
  anotherKey,
  type BilledWorkspace,
  closeMonth,
  passHours,
  use,
} from "../../support/billing/billed-workspace.ts";
import { inspect } from "../inspect.ts";
import { expect, type Stage } from "../stage.ts";
import { addPaymentMethod } from "./payment.ts";

/** @returns problems of the page */
export async function invoices(stage: Stage): Promise<string[]> {
  const { stack } = stage;
  const { person, tenantId, slug } = await stage.workspace("Invoiced");
  await addPaymentMethod(stage, (await stage.signedIn(person)).page);
  await stack.stripe.idle();
  const key = await anotherKey(stack, person, "CI");
  const workspace: BilledWorkspace = { owner: person, tenant_id: tenantId, slug, key, rows: [] };
  await use(stack, workspace);
  await passHours(stack, 3);
  await closeMonth(stack);
  await passHours(stack, 1);

  const { page } = await stage.signedIn(person);
  await page.goto(`${stage.console}/billing`);
  const row = page.getByRole("row").filter({ hasText: "Invoiced" }).first();
  await row.waitFor();
  const problems = await inspect(page, "billing-invoices", { isPictured: true });
  console.log(`  an invoice: ${(await row.innerText()).replace(/\s+/g, " ")}`);
  const pdf = await fetch((await row.getByRole("link", { name: "PDF" }).getAttribute("href")) ?? "");
  expect("the PDF's status", pdf.status, 200);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  expect("the file's name", (await saving).suggestedFilename(), "invoices.csv");
  return problems;
}
