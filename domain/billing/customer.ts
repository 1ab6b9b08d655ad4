// An owner as the payment provider's customer: one for all of the owner's workspaces.

export type Customer = {
  owner_sub: string;
  customer_id: string;
  /** Whether the customer has a payment method. A new workspace of the owner starts with this value. */
  has_payment_method: boolean;
  /** The default payment method with which the open invoices were last tried. */
  tried_payment_method?: string | undefined;
  /** Ids of the given-up invoices and the disputes that suspend the owner's workspaces, new ones too (debt.ts). */
  owes?: readonly string[] | undefined;
  /** Disputes, refunds and credit notes that were told, with the state in which they were (incident.ts). */
  seen?: Readonly<Record<string, string>> | undefined;
  /** When the owner first had a payment method, in milliseconds: the owner's age (domain/trust). */
  method_since?: number | undefined;
  /** Ids of the workspaces that trust has moved to the tier `pro`. */
  promoted?: readonly string[] | undefined;
  /** Marks of the cards and bank accounts that the owner has had (domain/trust/recognition.ts). */
  cards?: readonly string[] | undefined;
  /** Counts the changes. */
  version: number;
  /** Set while a purge deletes the customer at the provider: nobody may use it any more. */
  is_leaving?: boolean | undefined;
};

export interface CustomerStore {
  /** Owners whose state at the provider was last read before a time (ISO 8601). The index may miss one for some seconds. */
  unread(before: string): AsyncIterable<string>;
  get(ownerSub: string): Promise<Customer | undefined>;
  /**
   * The e-mail address to look for and to create the owner's customer with: that of the first attempt, until `put`. A repeat with a
   * new address would not find the customer that an earlier attempt created.
   */
  addressToUse(ownerSub: string, email: string): Promise<string>;
  /** The address of a creation that is not finished; undefined if there is none. */
  addressInUse(ownerSub: string): Promise<string | undefined>;
  /** Ids of the owner's tenants, deleted ones included until they are purged. */
  tenantsOf(ownerSub: string): Promise<string[]>;
  /**
   * Records the owner's customer in place of `before`, which ends its creation.
   * @param before undefined if there was no customer
   * @returns false if another customer was recorded meanwhile
   */
  put(next: { owner_sub: string; customer_id: string }, before: Customer | undefined): Promise<boolean>;
  /** Marks the customer as leaving, since a purge deletes it. May be repeated. @returns false if it is the owner's no more */
  leave(customer: Customer): Promise<boolean>;
  /** Deletes the record of a customer that is deleted at the provider. */
  remove(customer: Customer): Promise<void>;
  /** Deletes the address of an unfinished creation. */
  forgetAddress(ownerSub: string): Promise<void>;
}
