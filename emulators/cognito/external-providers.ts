// The declared external identity providers. They are simulated by a page that asks for the e-mail address to assert.
import { createHash } from "node:crypto";
import * as z from "zod";
import { noBehaviour, readDeclared } from "./declared.ts";

/** docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateIdentityProvider.html: ProviderName. */
const namePattern = /^(?=.{3,32}$)[^_\p{Z}][\p{L}\p{M}\p{S}\p{N}\p{P}][^_\p{Z}]+$/u;

const providerInputs = z.strictObject({
  providerName: z.string().regex(namePattern),
  providerType: z.enum(["Google", "OIDC"]),
  attributeMapping: z.record(z.string(), z.string()).default({}),
  // The credentials and addresses are those of the real provider.
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

/** The statements of a provider about a person. */
export type Assertion = {
  email: string;
  emailVerified: boolean;
  /** The person's id where it is not the one that follows from the address: somebody whose address has changed keeps the id. */
  subject?: string | undefined;
};

/**
 * @param declared inputs and outputs of each declared `aws.cognito.IdentityProvider`.
 * @throws Error that lists inputs that are not emulated, or names a provider that is declared twice.
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

/** The provider's id for a person, the same for one address unless it is given. Google's are digits, others are text whose case counts. */
export function subjectOf({ type }: Pick<ExternalProvider, "type">, { email, subject }: Assertion): string {
  if (subject !== undefined) return subject;
  const digest = createHash("sha256").update(email.toLowerCase());
  if (type === "OIDC") return digest.digest("base64url").slice(0, 24);
  return BigInt(`0x${digest.digest("hex")}`)
    .toString()
    .slice(0, 21);
}

/** The attributes that the pool takes over. Without a mapping for `email_verified` an address counts as not verified. */
export function mappedAttributes(provider: ExternalProvider, assertion: Assertion): Record<string, string> {
  const claims: Record<string, string> = {
    sub: subjectOf(provider, assertion),
    email: assertion.email,
    email_verified: String(assertion.emailVerified),
    name: assertion.email.split("@")[0] ?? "",
  };
  const mapped = Object.entries(provider.mapping).flatMap(([attribute, claim]) => {
    const value = claims[claim];
    return attribute === "username" || value === undefined ? [] : [[attribute, value] as const];
  });
  const attributes: Record<string, string> = Object.fromEntries(mapped);
  return attributes.email === undefined ? attributes : { email_verified: "false", ...attributes };
}
