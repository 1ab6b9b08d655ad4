// Who pays for a workspace's usage, and by which meter.

export type Payer = {
  customerId: string;
  /** None while the creation's step is pending. */
  subscriptionId: string | undefined;
  /** Which meter and price. */
  slot: number;
  isDeleted: boolean;
};
