// The object of a payment event, as the provider has it now, with the owner and the tenant that its metadata names.
import type { PaymentEvent } from "./payment-event.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

export type PaymentObject = {
  customerId: string;
  /** The owner named in the customer's metadata; undefined for a deleted customer. */
  ownerSub: string | undefined;
  /** The workspace named in the subscription's metadata, if the event is about a subscription or its invoice. */
  tenantId: string | undefined;
  /** The method that a finished set-up page brought. */
  paymentMethodId?: string | undefined;
  invoice?: PaymentInvoice | undefined;
  subscription?: { id: string; status: string } | undefined;
};

export interface PaymentObjectReader {
  /** Undefined if the provider does not know the object, or it belongs to no customer. @throws as PaymentProvider */
  read(event: PaymentEvent): Promise<PaymentObject | undefined>;
}
