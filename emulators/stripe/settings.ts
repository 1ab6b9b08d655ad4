// Settings that Stripe leaves to its dashboard or does not publish. A test sets them with `PUT /_local/stripe/settings`.
import * as z from "zod";

const schema = z.strictObject({
  /** Time until a meter event counts in invoices. Stripe publishes no number. */
  usage_lag_seconds: z.int().min(0).default(0),
  /** Time from the end of a period until its draft is final; 72 hours at most (docs.stripe.com/billing/subscriptions/usage-based/configure-grace-period). */
  grace_seconds: z
    .int()
    .min(0)
    .max(72 * 3_600)
    .default(3_600),
  /** Which value of a meter counts: the one with the latest time, or the one that was received last. */
  last_value_by: z.enum(["timestamp", "received"]).default("timestamp"),
  /** How long a draft takes usage: until it is final, or for the grace period even if it is made final later. */
  drafts_take_usage: z.enum(["until_final", "grace"]).default("until_final"),
  /** Whether usage in the hour in which a subscription begins is on its invoice. */
  first_hour_counts: z.boolean().default(true),
  /** Whether the lines of a meter have whole units only. */
  whole_units: z.boolean().default(false),
  /** Whether Checkout collects a tax id in setup mode, of which docs.stripe.com/tax/checkout/tax-ids says nothing. */
  setup_takes_tax_id: z.boolean().default(true),
  /** What cancelling with `invoice_now` leaves. */
  cancel_leaves: z.enum(["draft", "final", "nothing"]).default("draft"),
  /** Whether a metered subscription begins while its customer has no payment method. */
  begins_without_method: z.boolean().default(true),
  /** Whether a period without usage has a draft. */
  drafts_without_usage: z.boolean().default(true),
  /** What a draft does with a time of its own: is final then, at the account's time as before, or never by itself. */
  held_drafts: z.enum(["final_then", "final_as_before", "never_final"]).default("final_then"),
  /** Whether a draft takes an item below zero. */
  items_below_zero: z.boolean().default(true),
  /** What cancelling a subscription does with open invoices of the others: it stops their collection, or writes them off. */
  cancel_makes_others: z.enum(["open", "uncollectible"]).default("open"),
  /** Whether Checkout takes `customer_update` in setup mode. */
  setup_updates_customer: z.boolean().default(true),
  /** Whether a test card has the same fingerprint for each customer, as a real card has; otherwise each customer's is another card. */
  same_fingerprints: z.boolean().default(true),
  /** Whether the dashboard has all that invoices and tax need. */
  is_complete: z.boolean().default(true),
  /** Deliveries of each event to a destination. */
  webhook_copies: z.int().min(1).max(10).default(1),
  /** The order in which due deliveries are sent. */
  webhook_order: z.enum(["created", "reversed"]).default("created"),
  /** No delivery is sent while this is true. */
  webhooks_held: z.boolean().default(false),
});

export type Settings = z.output<typeof schema>;

export const defaults: Settings = schema.parse({});

/** @throws Error that names every wrong setting. */
export function readSettings(current: Settings, given: unknown): Settings {
  const parsed = schema.partial().safeParse(given);
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`).join("; "),
    );
  }
  const named = Object.keys(given as object);
  return { ...current, ...Object.fromEntries(Object.entries(parsed.data).filter(([key]) => named.includes(key))) };
}
