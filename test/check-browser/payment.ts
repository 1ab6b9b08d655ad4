// An owner adds a payment method in a real browser, on the local payment page, and takes it away again in the portal.
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import type { Stack } from "../../local/running-stack.ts";
import type { Browser } from "./browser.ts";

/** @param origin of the console, where the pages lead back to. */
export async function checkPayment(stack: Stack, browser: Browser, origin: string): Promise<void> {
  const owner = await signUp(stack, "owner@browser.example");
  const { tenant_id } = await openWorkspace(stack, owner, "Browser");
  const token = await consoleToken(stack, owner);
  const open = async (page: "setup" | "portal") =>
    ((await callControlPlane(stack, token, "POST", `/v1/billing/${page}`, {})) as { url: string }).url;
  const expectMethod = async (expected: boolean) => {
    await stack.stripe.idle();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${stack.at("api")}/v1/billing`, { headers });
    const { has_payment_method } = (await answer.json()) as { has_payment_method: boolean };
    if (has_payment_method !== expected) throw new Error(`has_payment_method of ${tenant_id}: ${has_payment_method}`);
  };

  await expectMethod(false);
  await browser.goTo(await open("setup"));
  const fields = { number: "4242 4242 4242 4242", expiry: "12/34", name: "Ada", country: "DE" };
  for (const [name, text] of Object.entries(fields)) {
    await browser.click(`[name=${name}]`);
    await browser.type(text);
  }
  await browser.click("form button[type=submit]");
  await browser.until(`location.href === ${JSON.stringify(`${origin}/billing?payment=added`)}`);
  await expectMethod(true);
  console.log("added    a payment method on the provider's page, and came back to the console");

  await browser.goTo(await open("portal"));
  await browser.click("button[value=remove]");
  await browser.until(
    `document.querySelector("button[value=remove]") === null && document.querySelector("h2") !== null`,
  );
  await browser.click("nav a");
  await browser.until(`location.href === ${JSON.stringify(`${origin}/billing`)}`);
  await expectMethod(false);
  console.log("removed  it in the portal, and came back to the console");
}
