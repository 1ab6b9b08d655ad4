// What the payment provider tells: thin events, each naming the object that is then read anew, so that their order does not matter.

export const paymentEvents = [
  "v1.checkout.session.completed",
  "v1.payment_method.attached",
  "v1.payment_method.detached",
  "v1.customer.updated",
  "v1.customer.deleted",
  "v1.customer.subscription.updated",
  "v1.customer.subscription.deleted",
  "v1.invoice.created",
  "v1.invoice.finalized",
  "v1.invoice.finalization_failed",
  "v1.invoice.paid",
  "v1.invoice.payment_failed",
  "v1.invoice.voided",
  "v1.invoice.marked_uncollectible",
  "v1.billing.meter.error_report_triggered",
  "v1.billing.meter.no_meter_found",
] as const;

/** Usage that was taken turns out to count for nobody. */
export const uncountedEvents: readonly string[] = [
  "v1.billing.meter.error_report_triggered",
  "v1.billing.meter.no_meter_found",
] satisfies (typeof paymentEvents)[number][];

export type PaymentEventType = (typeof paymentEvents)[number];

export type PaymentEvent = {
  /** By which a second delivery is known. */
  id: string;
  /** Also a type that nobody asked for. */
  type: string;
  /** What it is about; none where no meter was found. */
  objectId: string | undefined;
};

/** What only the event itself tells, and not the object. */
export type PaymentEventDetails = {
  /** Whose the payment method was that is detached now. */
  previousCustomerId: string | undefined;
  /** Of usage that was taken and cannot be counted: samples only, with their identifiers. */
  uncounted: { code: string; count: number; identifiers: string[] }[];
};

export interface PaymentEventSource {
  /**
   * The event of a delivery that the provider has signed within five minutes of `now` (milliseconds).
   * @param body as it came, byte for byte
   * @throws Refusal `credential_invalid` for a signature that is missing, forged or stale; `invalid_request` for another kind of body
   */
  verified(body: Uint8Array, signature: string | undefined, now: number): PaymentEvent;
  details(eventId: string): Promise<PaymentEventDetails>;
}
