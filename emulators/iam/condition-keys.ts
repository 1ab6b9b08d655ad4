// The global condition keys that the local stack supplies, and those of services that it does not. A policy that looks at one
// that is not supplied is refused at the start, since a condition on a key that is never there would decide at random.

const globalKeys = new Set(
  [
    // The keys about the caller, which `requesting-principal.ts` fills in.
    ["PrincipalArn", "PrincipalAccount", "PrincipalType", "PrincipalIsAWSService", "PrincipalServiceName", "userid"],
    ["ResourceAccount", "SecureTransport", "ViaAWSService"],
    // The keys about the call, which the endpoint and the services fill in.
    ["RequestedRegion", "TagKeys", "SourceArn", "SourceAccount"],
  ]
    .flat()
    .map((key) => `aws:${key}`.toLowerCase()),
);
/** The keys of DynamoDB beside LeadingKeys and Attributes, which `dynamodb/authorizations.ts` supplies. */
const unsuppliedKeys = new Set(
  [
    ...["Select", "ReturnValues", "ReturnConsumedCapacity", "EnclosingOperation", "FullTableScan"],
    ...["FirstPartitionKeyValues", "SecondPartitionKeyValues", "ThirdPartitionKeyValues", "FourthPartitionKeyValues"],
  ].map((key) => `dynamodb:${key}`.toLowerCase()),
);
const prefixes = ["aws:principaltag/", "aws:requesttag/", "aws:resourcetag/"];

/** @param key in lower case */
export function isSupplied(key: string): boolean {
  // AssumeRole takes no external id.
  if (key === "sts:externalid") return false;
  if (!key.startsWith("aws:")) return !unsuppliedKeys.has(key);
  return globalKeys.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

// iam-simulate drops context keys whose variable part follows a colon. The keys of encryption contexts are the only such keys here.
// In policies and in contexts they are renamed to keys of a kind that iam-simulate does evaluate.
const dropped = "kms:EncryptionContext:";
const standIn = `aws:ResourceTag/${dropped}`;
const droppedInPolicy = new RegExp(`(["{])${dropped}`, "gi");

/** Gives a policy's text with every key under the name that iam-simulate evaluates. */
export function withSimulatedKeys(policyText: string): string {
  return policyText.replace(droppedInPolicy, `$1${standIn}`);
}

/** Gives the name of a context key that iam-simulate evaluates. */
export function simulatedKey(key: string): string {
  return key.toLowerCase().startsWith(dropped.toLowerCase()) ? standIn + key.slice(dropped.length) : key;
}
