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
  // No call here encrypts, and AssumeRole takes no external id.
  if (/^(kms:encryptioncontext|sts:externalid$)/.test(key)) return false;
  if (!key.startsWith("aws:")) return !unsuppliedKeys.has(key);
  return globalKeys.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}
