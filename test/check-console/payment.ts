// An owner adds a payment method on the provider's page while the provider's message is late.
import type { Stack } from "../../local/running-stack.ts";
import { inspect } from "./every-page.ts";
import type { Visitor } from "./visitor.ts";

const settings = (stack: Stack, body: object) =>
  fetch(`${stack.edge}/_local/stripe/settings`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** @returns problems of the pages that it leads to */
export async function payment(stack: Stack, { page }: Visitor): Promise<string[]> {
  await settings(stack, { webhooks_held: true });
  await page.goto(`${stack.console}/billing`);
  await page.getByRole("button", { name: "Add a payment method" }).click();
  const fields = { number: "4242 4242 4242 4242", expiry: "12/34", name: "Ada", country: "DE" };
  for (const [name, text] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(text);
  await page.locator("form button[type=submit]").click();
  await page.waitForURL(/\/billing\?payment=added/);
  await page.getByRole("heading", { name: "Billing" }).waitFor();
  await settings(stack, { webhooks_held: false });
  await stack.stripe.idle();
  await page.getByText("Waiting for the payment provider's confirmation").waitFor({ state: "detached" });
  await page.getByText("Set up", { exact: true }).waitFor();
  const problems = await inspect(page, "billing-set-up");
  console.log("  a payment method added; the page turns once the provider's late message has come");
  return problems;
}
