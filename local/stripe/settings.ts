// What Stripe leaves to the dashboard, or does not publish, and a test chooses: `PUT /_local/stripe/settings`.
import * as z from "zod";

const day = 86_400;

const schema = z.strictObject({
  /** Until a meter event shows in summaries and invoices. Stripe publishes no number. */
  usage_lag_seconds: z.int().min(0).default(0),
  /** Drafts of a period are final after it; 72 h at most (docs.stripe.com/billing/subscriptions/usage-based/configure-grace-period). */
  grace_seconds: z
    .int()
    .min(0)
    .max(72 * 3_600)
    .default(3_600),
  /** Days between the attempts to collect an invoice (docs.stripe.com/billing/revenue-recovery/smart-retries, custom schedule). */
  retry_days: z.array(z.int().min(1).max(60)).max(8).default([3, 5, 7]),
  /** What becomes of a subscription after the last attempt. */
  after_retries: z.enum(["past_due", "unpaid", "canceled"]).default("past_due"),
  /** What `invoice_now` leaves behind; Stripe does not say which. */
  cancellation_invoice: z.enum(["draft", "open"]).default("draft"),
  webhook_delay_seconds: z
    .int()
    .min(0)
    .max(3 * day)
    .default(0),
  /** How often each event is delivered. */
  webhook_copies: z.int().min(1).max(10).default(1),
  /** In which order what is due goes out. */
  webhook_order: z.enum(["created", "reversed"]).default("created"),
  /** Nothing goes out until this is false again. */
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
