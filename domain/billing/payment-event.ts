// Events of the payment provider. An event only names an object, whose present state is then read, so that their order does not matter.

/**
 * Kinds of events that tell more than that an object has changed. `usage_not_counted`: the provider took usage and cannot count it.
 * `invoice_not_final`: a draft could not be made final. `action_required`: a payment waits for a person's confirmation.
 */
export type PaymentEventKind =
  | "changed"
  | "invoice_created"
  | "invoice_final"
  | "invoice_not_final"
  | "payment_failed"
  | "action_required"
  | "usage_not_counted";

export type PaymentEvent = {
  /** Id by which a second delivery is recognised. */
  id: string;
  /** Undefined for an event that concerns nothing here. */
  kind: PaymentEventKind | undefined;
  /** The provider's own name of the event. */
  type: string;
  /** Id of the object that changed; undefined where there is none. */
  objectId: string | undefined;
};

export interface PaymentEventSource {
  /**
   * The event of a delivery that the provider has signed within five minutes of `now` (milliseconds).
   * @param body the bytes as they came, over which the signature was made
   * @throws Refusal `credential_invalid` for a signature that is missing, forged or stale; `invalid_request` for another kind of body
   */
  verified(body: Uint8Array, signature: string | undefined, now: number): PaymentEvent;
}
