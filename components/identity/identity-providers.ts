// The providers that people may sign in with beside e-mail and password, each only if the stack configures it.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { subjectAttribute } from "../../domain/people/first-sign-in.ts";
import type { StackConfig } from "../config.ts";
import { type OidcProvider, verifiedEmail } from "./identity-provider-config.ts";

type ProviderArgs = Pick<aws.cognito.IdentityProviderArgs, "providerName" | "providerType"> & {
  details: Record<string, string>;
  clientSecret: string;
  mapping: Record<string, string>;
};

/** Word for word what Cognito takes of Google (API_CreateIdentityProvider.html: ProviderDetails). */
const googleScopes = "email profile openid";

/**
 * The details that Cognito adds by itself. Without this list every deployment would take them away again
 * (github.com/hashicorp/terraform-provider-aws/issues/4831).
 */
const addedByCognito = [
  "attributes_url",
  "attributes_url_add_attributes",
  "authorize_url",
  "jwks_uri",
  "oidc_issuer",
  "token_request_method",
  "token_url",
];

/** The providers as the pool declares them. */
export function providerNames({ google, oidcProviders }: Pick<StackConfig, "google" | "oidcProviders">): string[] {
  return [...(google ? ["Google"] : []), ...oidcProviders.map(({ name }) => name)];
}

/** The providers that the stack configures, in the order of their buttons. */
export function identityProviders(
  name: string,
  userPool: aws.cognito.UserPool,
  { google, oidcProviders }: Pick<StackConfig, "google" | "oidcProviders">,
  opts: pulumi.CustomResourceOptions,
): aws.cognito.IdentityProvider[] {
  const declared = [...(google ? [googleProvider(google)] : []), ...oidcProviders.map(oidcProvider)];
  return declared.map(({ providerName, providerType, details, clientSecret, mapping }) => {
    const added = addedByCognito.filter((key) => !(key in details));
    return new aws.cognito.IdentityProvider(
      `${name}-${providerName}`.toLowerCase(),
      {
        userPoolId: userPool.id,
        providerName,
        providerType,
        // The details are secret as a whole, also as Cognito gives them back.
        providerDetails: pulumi.secret({ ...details, client_secret: clientSecret }),
        // Cognito makes the username `<provider>_<sub>`.
        attributeMapping: { ...mapping, username: "sub" },
      },
      // A pool has one provider of a name.
      { ...opts, deleteBeforeReplace: true, ignoreChanges: added.map((key) => `providerDetails.${key}`) },
    );
  });
}

function googleProvider({ clientId, clientSecret }: NonNullable<StackConfig["google"]>): ProviderArgs {
  const details = { client_id: clientId, authorize_scopes: googleScopes };
  return { providerName: "Google", providerType: "Google", details, clientSecret, mapping: verifiedEmail };
}

function oidcProvider({ name, issuer, clientId, clientSecret, scopes, attributeMapping }: OidcProvider): ProviderArgs {
  const details = {
    client_id: clientId,
    oidc_issuer: issuer,
    authorize_scopes: scopes.join(" "),
    attributes_request_method: "GET",
  };
  // Google's subjects are digits, which have no case that a username could lose.
  const mapping = { ...attributeMapping, [`custom:${subjectAttribute}`]: "sub" };
  return { providerName: name, providerType: "OIDC", details, clientSecret, mapping };
}
