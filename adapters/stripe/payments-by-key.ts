// The payment provider with the account's present key, which may be replaced while a function runs.
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import type { StripeOptions } from "./client.ts";
import { stripePayments } from "./payment-provider.ts";

/** Keeps the client, which remembers the meters, as long as the key is the same. */
export function paymentsByKey(
  secret: () => Promise<{ secretKey: string }>,
  options: Pick<StripeOptions, "timeoutMs"> = {},
): () => Promise<PaymentProvider> {
  let kept: { secretKey: string; payments: PaymentProvider } | undefined;
  return async () => {
    const { secretKey } = await secret();
    if (kept?.secretKey !== secretKey) kept = { secretKey, payments: stripePayments({ secretKey, ...options }) };
    return kept.payments;
  };
}
