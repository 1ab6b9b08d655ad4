// Who asks the payment provider: the account's secret, with the right to read it, and how it is billed.
import type { StackConfig } from "../config.ts";
import { type Link, secretLink } from "../link.ts";

/** The variables of a function that asks the payment provider (`payments` in handlers/contract.ts); none without billing. */
export function paymentEnvironment({ stripe }: Pick<StackConfig, "stripe">): {
  STRIPE_SECRET_ARN?: Link;
  BILLING_MARKUP?: string;
  BILLING_TAX?: NonNullable<StackConfig["stripe"]>["tax"];
} {
  if (!stripe) return {};
  const { secretArn, markup, tax } = stripe;
  return { STRIPE_SECRET_ARN: secretLink(secretArn), BILLING_MARKUP: String(markup), BILLING_TAX: tax };
}
