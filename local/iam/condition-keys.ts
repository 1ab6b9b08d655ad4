// The global condition keys that the local stack supplies, and those of DynamoDB that it does not. A policy that looks at one
// that is not supplied is refused at the start, since a condition on a key that is never there would decide at random.

const globalKeys = new Set(
  [
    // Of the caller, filled in by `caller.ts`.
    ["PrincipalArn", "PrincipalAccount", "PrincipalType", "PrincipalIsAWSService", "PrincipalServiceName", "userid"],
    ["ResourceAccount", "SecureTransport", "ViaAWSService"],
    // Of the call, filled in by the endpoint and by the services.
    ["RequestedRegion", "TagKeys", "SourceArn", "SourceAccount"],
  ]
    .flat()
    .map((key) => `aws:${key}`.toLowerCase()),
);
/** `dynamodb/authorizations.ts` supplies LeadingKeys and Attributes, and none of its others. */
const unsuppliedKeys = new Set(
  [
    ...["Select", "ReturnValues", "ReturnConsumedCapacity", "EnclosingOperation", "FullTableScan"],
    ...["FirstPartitionKeyValues", "SecondPartitionKeyValues", "ThirdPartitionKeyValues", "FourthPartitionKeyValues"],
  ].map((key) => `dynamodb:${key}`.toLowerCase()),
);
const prefixes = ["aws:principaltag/", "aws:requesttag/", "aws:resourcetag/"];

/** @param key in lower case */
export function isSupplied(key: string): boolean {
  if (!key.startsWith("aws:")) return !unsuppliedKeys.has(key);
  return globalKeys.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

// iam-simulate drops context keys whose variable part follows a colon, and these are the only ones we meet. In policies
// and in contexts alike they are therefore renamed to keys of a kind that it does evaluate.
const dropped = "kms:EncryptionContext:";
const standIn = `aws:ResourceTag/${dropped}`;
const droppedInPolicy = new RegExp(`(["{])${dropped}`, "gi");

/** A policy's text with every key under the name that iam-simulate evaluates. */
export function withSimulatedKeys(policyText: string): string {
  return policyText.replace(droppedInPolicy, `$1${standIn}`);
}

/** A context key under the name that iam-simulate evaluates. */
export function simulatedKey(key: string): string {
  return key.toLowerCase().startsWith(dropped.toLowerCase()) ? standIn + key.slice(dropped.length) : key;
}
