// The configuration of the external identity providers: Google, and any provider of OpenID Connect.
import * as z from "zod";

const google = "Google";
/** The user pool itself, and those of a type of their own, as an app client lists them. */
const taken = ["Cognito", google, "Facebook", "LoginWithAmazon", "SignInWithApple"];
/** The attributes that every pool has (docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-attributes.html). */
const attributes = [
  ...["email", "email_verified", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username"],
  ...["profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at", "address"],
] as const;
const claim = z.string().regex(/^[\x21-\x7e]{1,256}$/, "must be the name of a claim");
const clientId = z.string().regex(/^[\x21-\x7e]{1,1024}$/, "must be the id of a client at the provider");
const clientSecret = z.string().regex(/^[\x21-\x7e]{1,2048}$/, "must be the secret of that client");

/** The client that Google's console made for this stack. */
export const googleConfig = z.strictObject({
  clientId: clientId.endsWith(".apps.googleusercontent.com", "must end with .apps.googleusercontent.com"),
  clientSecret,
});

/**
 * The claims that the pool takes over from a provider, by attribute. Without `email_verified` an address counts as not verified at every sign-in.
 * `username` is not among them: it is made of the claim `sub`.
 */
const attributeMapping = z
  .partialRecord(z.enum(attributes), claim)
  .prefault({})
  .transform((mapping): Record<string, string> => ({ ...verifiedEmail, ...mapping }));

/** Attribute -> claim, as OpenID Connect names them (openid.net/specs/openid-connect-core-1_0.html, 5.1). */
export const verifiedEmail = { email: "email", email_verified: "email_verified" };

const oidcProvider = z.strictObject({
  /** Cognito's own rule takes more (`[^_\p{Z}][\p{L}\p{M}\p{S}\p{N}\p{P}][^_\p{Z}]+`); people read it on a button, and addresses carry it. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{2,31}$/, "must be 3 to 32 letters, digits, . and -")
    .refine((name) => !taken.some((other) => isSameName(name, other)), "is a name that Cognito keeps for itself"),
  /** Cognito reads `<issuer>/.well-known/openid-configuration`. */
  issuer: z.string().refine(isIssuer, "must be https, without a slash at the end, query or fragment"),
  clientId,
  clientSecret,
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be a scope"))
    .refine((scopes) => scopes.includes("openid"), "must have openid, without which there is no ID token")
    .default(["openid", "email", "profile"]),
  attributeMapping,
});

export const oidcProvidersConfig = z
  .array(oidcProvider)
  .refine(haveNamesOfTheirOwn, "two have the same name; Cognito does not tell upper from lower case in usernames")
  .default([]);

export type OidcProvider = z.output<typeof oidcProvider>;

/** A pool whose usernames fold the case makes one prefix of both. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function haveNamesOfTheirOwn(providers: { name: string }[]): boolean {
  return new Set(providers.map(({ name }) => name.toLowerCase())).size === providers.length;
}

/** docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-oidc-idp.html: https, and no slash at the end. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  return !text.endsWith("/") && !/[?#\s]/.test(text);
}
