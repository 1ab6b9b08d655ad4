// Events of the payment provider. An event only names an object, whose present state is then read, so that their order does not matter.

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
  "v1.invoice.payment_action_required",
  "v1.invoice.voided",
  "v1.invoice.marked_uncollectible",
  "v1.charge.refunded",
  "v1.charge.dispute.created",
  "v1.charge.dispute.updated",
  "v1.charge.dispute.closed",
  "v1.credit_note.created",
  "v1.credit_note.voided",
  "v1.billing.meter.error_report_triggered",
  "v1.billing.meter.no_meter_found",
] as const;

/** Events that say that the provider took usage and cannot count it. */
export const uncountedEvents: readonly string[] = [
  "v1.billing.meter.error_report_triggered",
  "v1.billing.meter.no_meter_found",
] satisfies (typeof paymentEvents)[number][];

export type PaymentEventType = (typeof paymentEvents)[number];

export type PaymentEvent = {
  /** Id by which a second delivery is recognised. */
  id: string;
  /** Any type, also one that is not in `paymentEvents`. */
  type: string;
  /** Id of the object that changed; undefined where no meter was found. */
  objectId: string | undefined;
};

/** Facts that only the event has, and not its object. */
export type PaymentEventDetails = {
  /** The customer from whom a payment method was detached. */
  previousCustomerId: string | undefined;
};

export interface PaymentEventSource {
  /**
   * The event of a delivery that the provider has signed within five minutes of `now` (milliseconds).
   * @param body the bytes as they came, over which the signature was made
   * @throws Refusal `credential_invalid` for a signature that is missing, forged or stale; `invalid_request` for another kind of body
   */
  verified(body: Uint8Array, signature: string | undefined, now: number): PaymentEvent;
  details(eventId: string): Promise<PaymentEventDetails>;
}
