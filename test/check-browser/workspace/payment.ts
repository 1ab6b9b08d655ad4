// An owner adds a payment method on the provider's page while the provider's message is late, and takes it away in the portal.
import type { Page } from "playwright-core";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";

const settings = ({ stack }: Stage, body: object) =>
  fetch(`${stack.edge}/_local/stripe/settings`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** @returns problems of the pages that it leads to */
export async function payment(stage: Stage): Promise<string[]> {
  const { page } = await stage.owner();
  await settings(stage, { webhooks_held: true });
  await addPaymentMethod(stage, page);
  const waiting = page.getByText("Waiting for the payment provider's confirmation");
  await waiting.waitFor();
  await settings(stage, { webhooks_held: false });
  await stage.stack.stripe.idle();
  await waiting.waitFor({ state: "detached" });
  await page.getByText("Ready", { exact: true }).waitFor();
  const problems = await inspect(page, "billing-set-up", { isPictured: true });
  console.log("  a payment method added; the page turns once the provider's late message has come");
  await changeContact(page);
  await page.getByText("There is no invoice yet").waitFor();
  await page.getByRole("button", { name: "Payment methods and details" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove" }).waitFor({ state: "detached" });
  await stage.stack.stripe.idle();
  await page.locator("nav a").first().click();
  await page.waitForURL(`${stage.console}/billing`);
  await page.getByRole("button", { name: "Add a payment method" }).waitFor();
  return problems;
}

/** Says who gets the mails about payments: an address that is none is refused in words, and the form keeps what was typed. */
async function changeContact(page: Page): Promise<void> {
  const emails = page.getByLabel("Mails about payments go to");
  await page.getByLabel("Purchase order number").fill("PO-117");
  await emails.fill("invoices@acme.example, nobody");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").waitFor();
  await emails.fill("invoices@acme.example, books@acme.example");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  await page.locator('[name=billing_emails][value="invoices@acme.example, books@acme.example"]').waitFor();
}

/** Fills in the provider's page, which leads back to the page of billing. */
export async function addPaymentMethod({ console: origin }: Stage, page: Page): Promise<void> {
  await page.goto(`${origin}/billing`);
  await page.getByRole("button", { name: "Add a payment method" }).click();
  const fields = { number: "4242 4242 4242 4242", expiry: "12/34", name: "Ada", country: "DE" };
  for (const [name, text] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(text);
  await page.locator("form button[type=submit]").click();
  await page.waitForURL(/\/billing\?payment=added/);
}
