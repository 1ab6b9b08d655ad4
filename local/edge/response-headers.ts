// The headers that a response headers policy adds to each answer of a distribution.
import type { DeclaredResource } from "../../emulators/pulumi/resources.ts";

/** Names of docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html. */
export function policyHeaders({ inputs }: DeclaredResource): Record<string, string> {
  const { securityHeadersConfig: security = {}, customHeadersConfig: custom } = inputs;
  const hsts = security.strictTransportSecurity;
  const known: Record<string, string | undefined> = {
    "content-security-policy": security.contentSecurityPolicy?.contentSecurityPolicy,
    "x-content-type-options": security.contentTypeOptions && "nosniff",
    "x-frame-options": security.frameOptions?.frameOption,
    "referrer-policy": security.referrerPolicy?.referrerPolicy,
    "strict-transport-security": hsts && `max-age=${hsts.accessControlMaxAgeSec}`,
  };
  const items = (custom?.items ?? []).map(({ header, value }: { header: string; value: string }) => [header, value]);
  const headers = Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(headers), ...Object.fromEntries(items) };
}

/**
 * The headers that a policy adds to the answer to a request of another origin, which says its own ("CORS headers" of
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html).
 */
export function corsPolicyHeaders({ inputs: { corsConfig } }: DeclaredResource): Record<string, string> {
  if (!corsConfig) return {};
  const joined = (list: { items: string[] } | undefined) => list?.items.join(", ") ?? "";
  return {
    "access-control-allow-origin": joined(corsConfig.accessControlAllowOrigins),
    "access-control-allow-methods": joined(corsConfig.accessControlAllowMethods),
    "access-control-allow-headers": joined(corsConfig.accessControlAllowHeaders),
    "access-control-expose-headers": joined(corsConfig.accessControlExposeHeaders),
  };
}
