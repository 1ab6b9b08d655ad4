// A tenant's first call in a month: no earlier hour of the month can have usage.

export interface FirstCalls {
  /**
   * The time before which no call of the tenant was admitted in the month, in milliseconds. Undefined if no caller has spending in
   * the month; a caller of the last seconds may be missing.
   */
  since(tenantId: string, month: string): Promise<number | undefined>;
}
