// What an event of the payment provider is about, read anew: whose it is, as the provider's own account says.
import type { PaymentEvent } from "./payment-event.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

export type PaymentObject = {
  customerId: string;
  /** As the customer says; none of one that was deleted. */
  ownerSub: string | undefined;
  /** As the subscription says, where the event is about one. */
  tenantId: string | undefined;
  /** Of a set-up that is finished. */
  paymentMethodId?: string | undefined;
  invoice?: PaymentInvoice | undefined;
  subscription?: { id: string; status: string } | undefined;
};

export interface PaymentObjectReader {
  /** None if the provider does not know it (any more), or it belongs to no customer. @throws as PaymentProvider */
  read(event: PaymentEvent): Promise<PaymentObject | undefined>;
}
