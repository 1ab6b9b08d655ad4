// The accounts that the local stack plays. AWS's documentation uses such numbers; no real account has these.

export const accountId = "000000000000";

/** Where the role that calls models lies, as in a deployment whose models another account pays for. */
export const modelHostAccountId = "111111111111";

/** The account in an ARN; undefined for what belongs to none, such as a bucket or a foundation model. */
export function accountIn(arn: string): string | undefined {
  return arn.split(":")[4] || undefined;
}
