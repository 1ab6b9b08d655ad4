// The declared external identity providers. They are simulated: a page takes the e-mail address that they would assert.
import { createHash } from "node:crypto";
import * as z from "zod";
import { noBehaviour, readDeclared } from "./declared.ts";

/** docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateIdentityProvider.html: ProviderName. */
const namePattern = /^(?=.{3,32}$)[^_\p{Z}][\p{L}\p{M}\p{S}\p{N}\p{P}][^_\p{Z}]+$/u;

const providerInputs = z.strictObject({
  providerName: z.string().regex(namePattern),
  providerType: z.enum(["Google", "OIDC"]),
  attributeMapping: z.record(z.string(), z.string()).default({}),
  // Credentials and addresses of the real provider.
  providerDetails: noBehaviour,
  userPoolId: z.string(),
  id: noBehaviour,
  region: noBehaviour,
});

export type ExternalProvider = {
  name: string;
  type: "Google" | "OIDC";
  /** Attribute of the pool -> claim of the provider. */
  mapping: Record<string, string>;
};

/** What a provider says of someone. */
export type Assertion = { email: string; emailVerified: boolean };

/**
 * @param declared inputs and outputs of each declared `aws.cognito.IdentityProvider`.
 * @throws Error that lists what is not emulated, or names a provider that is there twice.
 */
export function readExternalProviders(declared: unknown[]): Map<string, ExternalProvider> {
  const providers = new Map<string, ExternalProvider>();
  for (const inputs of declared) {
    const read = readDeclared("external provider", providerInputs, inputs);
    const { providerName: name, providerType: type, attributeMapping: mapping } = read;
    if (providers.has(name)) throw new Error(`Cognito: external provider\n  ${name} is declared twice`);
    providers.set(name, { name, type, mapping });
  }
  return providers;
}

/** The provider's id for someone: digits, and the same for one address each time. */
export function subjectOf({ email }: Assertion): string {
  const digest = createHash("sha256").update(email.toLowerCase()).digest("hex");
  return BigInt(`0x${digest}`).toString().slice(0, 21);
}

/** The attributes that the pool takes over. Without a mapping for it, an address counts as not verified. */
export function mappedAttributes({ mapping }: ExternalProvider, assertion: Assertion): Record<string, string> {
  const claims: Record<string, string> = {
    sub: subjectOf(assertion),
    email: assertion.email,
    email_verified: String(assertion.emailVerified),
    name: assertion.email.split("@")[0] ?? "",
  };
  const mapped = Object.entries(mapping).flatMap(([attribute, claim]) => {
    const value = claims[claim];
    return attribute === "username" || value === undefined ? [] : [[attribute, value] as const];
  });
  const attributes: Record<string, string> = Object.fromEntries(mapped);
  return attributes.email === undefined ? attributes : { email_verified: "false", ...attributes };
}
