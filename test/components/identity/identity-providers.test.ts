import { expect, test } from "@jest/globals";
import * as aws from "@pulumi/aws";
import { stackConfig } from "../../../components/config.ts";
import { identityProviders, providerNames } from "../../../components/identity/identity-providers.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const okta = {
  name: "Okta",
  issuer: "https://example.okta.com",
  clientId: "0oa1",
  clientSecret: "the-okta-secret",
  scopes: ["openid", "email"],
  attributeMapping: { given_name: "first_name" },
};

async function providersWith(overrides: Record<string, string | undefined>) {
  const config = stackConfig(await readStackConfig(localStackFile, overrides));
  return declarationsOf(() => {
    identityProviders("identity", new aws.cognito.UserPool("identity"), config, {});
  });
}

const program = await providersWith({
  "archway:google": JSON.stringify({ clientId: "1.apps.googleusercontent.com", clientSecret: "the-google-secret" }),
  "archway:oidcProviders": JSON.stringify([okta]),
});
const provider = (name: string) => program.get("aws:cognito/identityProvider:IdentityProvider", `identity-${name}`);

test("Google provides the address, and whether it has verified it", () => {
  expect(provider("google").inputs).toMatchObject({
    providerName: "Google",
    providerType: "Google",
    providerDetails: {
      secret: { client_id: "1.apps.googleusercontent.com", authorize_scopes: "email profile openid" },
    },
    attributeMapping: { username: "sub", email: "email", email_verified: "email_verified" },
  });
});

test("a provider of OpenID Connect is found by its issuer, and provides the claims that the stack maps", () => {
  expect(provider("okta").inputs).toMatchObject({
    providerName: "Okta",
    providerType: "OIDC",
    providerDetails: {
      secret: {
        client_id: "0oa1",
        oidc_issuer: "https://example.okta.com",
        authorize_scopes: "openid email",
        attributes_request_method: "GET",
      },
    },
    attributeMapping: {
      username: "sub",
      email: "email",
      email_verified: "email_verified",
      given_name: "first_name",
    },
  });
});

test("the secrets of identity providers are secret to Pulumi, together with the fields beside them", () => {
  const details = (name: string) => provider(name).inputs.providerDetails;
  expect(details("google")).toEqual({ secret: expect.objectContaining({ client_secret: "the-google-secret" }) });
  expect(details("okta")).toEqual({ secret: expect.objectContaining({ client_secret: "the-okta-secret" }) });
});

test("settings that Cognito adds to an identity provider are kept at the next deployment", () => {
  const ignored = (name: string) => provider(name).options.ignoreChanges;
  expect(ignored("google")).toEqual(
    expect.arrayContaining(["providerDetails.authorize_url", "providerDetails.oidc_issuer"]),
  );
  // The stack's own.
  expect(ignored("okta")).not.toContain("providerDetails.oidc_issuer");
  expect(ignored("okta")).toContain("providerDetails.jwks_uri");
});

test("the pool has only identity providers that the stack configures", async () => {
  const declared = await providersWith({ "archway:google": undefined });
  expect(declared.ofType("aws:cognito/identityProvider:IdentityProvider")).toEqual([]);
});

test("a case-sensitive subject is kept in an attribute of the pool, and the triggers know each provider by its name", async () => {
  expect(provider("okta").inputs.attributeMapping["custom:subject"]).toBe("sub");
  const declared = program
    .ofType("aws:cognito/identityProvider:IdentityProvider")
    .map(({ inputs }) => inputs.providerName);
  const config = stackConfig(
    await readStackConfig(localStackFile, { "archway:oidcProviders": JSON.stringify([okta]) }),
  );
  expect(providerNames(config)).toEqual(declared);
});
