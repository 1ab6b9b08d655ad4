// What the payment provider is asked to tell: thin events, each naming the object that is then read anew.

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

export type PaymentEventType = (typeof paymentEvents)[number];
