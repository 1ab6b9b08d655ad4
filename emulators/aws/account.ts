// The account of the resources. AWS's documentation uses such numbers, and no real account has them.

export const accountId = "000000000000";

/** The account in an ARN. A bucket or a foundation model belongs to none. */
export function accountIn(arn: string): string | undefined {
  return arn.split(":")[4] || undefined;
}
