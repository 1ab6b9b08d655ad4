import { expect, test } from "@jest/globals";
import { askedPayments } from "../../../adapters/functions/payments.ts";
import { lambdaWith } from "../../support/program/asked-lambda.ts";

const paymentsOf = (answer: Parameters<typeof lambdaWith>[0]) => {
  const { asked, invoke } = lambdaWith(answer);
  return { asked, payments: askedPayments("arn:payments", invoke) };
};

test("the payment provider's pages and state are requested for a workspace", async () => {
  expect(await paymentsOf({ payload: { result: { state: null } } }).payments.state("t1")).toBeUndefined();
  const { asked, payments } = paymentsOf({ payload: { result: { url: "https://a.example" } } });
  expect(await payments.setupPage("t1", { successUrl: "s", cancelUrl: "c" })).toBe("https://a.example");
  expect(await payments.portalPage("t1", { returnUrl: "r" })).toBe("https://a.example");
  expect(asked.map(([, payload]) => payload)).toEqual([
    { action: "open_setup_page", input: { tenant_id: "t1", success_url: "s", cancel_url: "c" } },
    { action: "open_portal_page", input: { tenant_id: "t1", return_url: "r" } },
  ]);
});

test("ending the billing of a deleted workspace is done, or waits for usage that is not yet billed", async () => {
  expect(await paymentsOf({ payload: { result: { removed: "waiting" } } }).payments.remove("t1")).toBe("waiting");
  const removed = { stripe_customer: 1, stripe_subscription: 1 };
  expect(await paymentsOf({ payload: { result: { removed } } }).payments.remove("t1")).toEqual(removed);
  expect(await paymentsOf({ payload: { result: { ended: false } } }).payments.end("t1")).toBe(false);
});

test("a payment provider that does not answer in time is reported as unavailable", async () => {
  const timeOut = Object.assign(new Error("timed out"), { $metadata: {} });
  const { payments } = paymentsOf(timeOut);
  const expected = { code: "payments_unavailable", cause: timeOut };
  await expect(payments.setupPage("t1", { successUrl: "s", cancelUrl: "c" })).rejects.toMatchObject(expected);
  await expect(payments.portalPage("t1", { returnUrl: "r" })).rejects.toMatchObject(expected);
  await expect(payments.state("t1")).rejects.toMatchObject(expected);
});
