import { expect, test } from "@jest/globals";
import { paymentsByKey } from "../../../adapters/stripe/payments-by-key.ts";

test("the Stripe client is reused as long as the key is the same", async () => {
  let secretKey = "sk_test_one";
  const payments = paymentsByKey(async () => ({ secretKey }));
  const first = await payments();
  expect(await payments()).toBe(first);
  secretKey = "sk_test_other";
  expect(await payments()).not.toBe(first);
});

test("a Stripe key that cannot be read gives the reader's error", async () => {
  const outage = new Error("no answer");
  await expect(paymentsByKey(() => Promise.reject(outage))()).rejects.toBe(outage);
});
