// An owner as the payment provider's customer: one for all of the owner's workspaces.

export type Customer = {
  owner_sub: string;
  customer_id: string;
  /** Whether one is there by which invoices are paid. A new workspace starts with it. */
  has_payment_method: boolean;
  /** The default payment method by which what is open was last tried to be paid. */
  tried_payment_method?: string | undefined;
  /** Counts the changes. */
  version: number;
  /** A purge is about to delete it at the provider: nobody may use it any more. */
  is_leaving?: boolean | undefined;
};

export interface CustomerStore {
  get(ownerSub: string): Promise<Customer | undefined>;
  /**
   * The address by which the owner's customer is looked for and made: that of the first attempt, until the customer is kept. With
   * another one at a repeat nobody would find what an attempt that was cut off has made.
   */
  addressToUse(ownerSub: string, email: string): Promise<string>;
  /** That of a creation that is not finished; none if there is none. */
  addressInUse(ownerSub: string): Promise<string | undefined>;
  /** Ids of the owner's tenants, deleted ones included until they are purged. */
  tenantsOf(ownerSub: string): Promise<string[]>;
  /**
   * Keeps the owner's customer in place of `before`, which ends the creation. False if another one is there meanwhile.
   * @param before none if there was none
   */
  put(next: { owner_sub: string; customer_id: string }, before: Customer | undefined): Promise<boolean>;
  /**
   * Says that a purge deletes it now. False if the owner has another tenant than this one, or the customer is another one.
   * Twice does no harm.
   */
  leave(customer: Customer, tenantId: string): Promise<boolean>;
  /** Forgets a customer that is gone at the provider. */
  remove(customer: Customer): Promise<void>;
  /** Forgets a creation that made nothing, unless the owner has another tenant than this one. */
  forgetAddress(ownerSub: string, tenantId: string): Promise<void>;
}
