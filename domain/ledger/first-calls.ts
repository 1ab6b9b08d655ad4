// The time of a tenant's first call in a month: the earliest hour that can hold usage.

export interface FirstCalls {
  /**
   * Milliseconds: no call of the tenant in the month was admitted before. None if nobody has spending in it, but for callers of
   * the last seconds.
   */
  since(tenantId: string, month: string): Promise<number | undefined>;
}
