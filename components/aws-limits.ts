// Refuses in a deployment's first second what AWS would refuse in its middle: sizes, and regions without a service.
import * as pulumi from "@pulumi/pulumi";

/** The longest that the inline policies of a role may be together, blanks aside (docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
const policyCharacters = 10_240;
/** The most bytes of all variables of a function together, as JSON (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
const environmentBytes = 4_096;
/** docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html, "CloudFront Functions". */
const edgeCodeBytes = 10_240;

/** Stands for a value that only AWS knows: longer than every ARN and id that the program passes on. */
const unknownText = "-".repeat(120);

/** @returns a problem if the role's policy would be too long */
export function policyProblems(role: string, statements: readonly object[]): string[] {
  return tooMuch(
    policyCharacters,
    JSON.stringify(counted(statements)).length,
    `role ${role}: its policy`,
    "characters",
  );
}

/** @returns a problem if the function's variables would be too long */
export function environmentProblems(name: string, variables: Record<string, pulumi.Input<string>>): string[] {
  const size = Buffer.byteLength(JSON.stringify(counted(variables)));
  return tooMuch(environmentBytes, size, `function ${name}: its environment`, "bytes");
}

/** @returns a problem if CloudFront would not take the code */
export function edgeCodeProblems(name: string, code: string): string[] {
  return tooMuch(edgeCodeBytes, Buffer.byteLength(code), `edge function ${name}: its code`, "bytes");
}

function tooMuch(limit: number, size: number, what: string, unit: string): string[] {
  return size > limit ? [`${what} has ${size} ${unit}, and AWS takes ${limit}`] : [];
}

function counted(value: unknown): unknown {
  if (pulumi.Output.isInstance(value)) return unknownText;
  if (Array.isArray(value)) return value.map(counted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, counted(member)]));
}

/** docs.aws.amazon.com/lambda/latest/dg/lambda-urls.html, read 2026-11. */
const regionsWithoutFunctionUrls = [
  ...["ap-east-2", "ap-south-2", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7"],
  ...["ca-west-1", "eu-central-2", "eu-south-2", "il-central-1", "me-central-1"],
];

/** @returns a problem if the stack cannot live in the region. Models may be called in regions where it cannot live. */
export function regionProblems(region: string): string[] {
  if (!regionsWithoutFunctionUrls.includes(region)) return [];
  return [`aws:region: ${region} has no function URLs, which the proxy needs; models can still be called there`];
}

/** The longest first name of a certificate (docs.aws.amazon.com/acm/latest/APIReference/API_RequestCertificate.html). */
const certificateNameCharacters = 64;
/** The longest domain of a user pool (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolDomain.html). */
const poolDomainCharacters = 63;

/** @returns a problem for each host below the domain whose name is too long */
export function hostProblems(domain: string): string[] {
  const hosts = [
    { host: `*.proxy.${domain}`, limit: certificateNameCharacters, of: "a certificate's name" },
    { host: `api.${domain}`, limit: certificateNameCharacters, of: "a certificate's name" },
    { host: `auth.${domain}`, limit: poolDomainCharacters, of: "a user pool's domain" },
  ];
  return hosts
    .filter(({ host, limit }) => host.length > limit)
    .map(({ host, limit, of }) => `${host} would have ${host.length} characters, and ${of} has ${limit} at the most`);
}

/** An identity sends for itself. A domain's identity sends for the addresses and domains below it too. */
export function isOfIdentity({ from, identityArn }: { from: string; identityArn: string }): boolean {
  const [address = ""] = /[^<>\s]+@[^<>\s]+/.exec(from.toLowerCase()) ?? [];
  const identity = identityArn.slice(identityArn.indexOf("/") + 1).toLowerCase();
  const [, domain = ""] = address.split("@");
  return [address, domain].includes(identity) || domain.endsWith(`.${identity}`);
}

/** Cognito takes plain HTTP for localhost only. */
export function isSafeCallback(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "localhost");
}
