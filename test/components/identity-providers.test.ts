import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../components/config.ts";
import { Identity } from "../../components/identity.ts";
import { PlatformTable } from "../../components/platform-table.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { type Declarations, declarationsOf } from "../support/pulumi-program.ts";

const okta = {
  name: "Okta",
  issuer: "https://example.okta.com",
  clientId: "0oa1",
  clientSecret: "the-okta-secret",
  scopes: ["openid", "email"],
  attributeMapping: { given_name: "first_name" },
};

async function identityWith(overrides: Record<string, string | undefined>): Promise<Declarations> {
  const config = stackConfig(await readStackConfig(localStackFile, overrides));
  return declarationsOf(() => {
    const { table } = new PlatformTable("archway");
    new Identity("identity", { config, table });
  });
}

const program = await identityWith({
  "archway:google": JSON.stringify({ clientId: "1.apps.googleusercontent.com", clientSecret: "the-google-secret" }),
  "archway:oidcProviders": JSON.stringify([okta]),
});
const provider = (name: string) => program.get("aws:cognito/identityProvider:IdentityProvider", `identity-${name}`);
const clients = (declared: Declarations) => declared.ofType("aws:cognito/userPoolClient:UserPoolClient");

test("Google tells the address, and whether it has verified it", () => {
  expect(provider("google").inputs).toMatchObject({
    providerName: "Google",
    providerType: "Google",
    providerDetails: {
      secret: { client_id: "1.apps.googleusercontent.com", authorize_scopes: "email profile openid" },
    },
    attributeMapping: { username: "sub", email: "email", email_verified: "email_verified" },
  });
});

test("a provider of OpenID Connect is found by its issuer, and tells what the stack maps", () => {
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

describe("secrets of the providers", () => {
  test("are secrets to Pulumi, with all that lies beside them", () => {
    const details = (name: string) => provider(name).inputs.providerDetails;
    expect(details("google")).toEqual({ secret: expect.objectContaining({ client_secret: "the-google-secret" }) });
    expect(details("okta")).toEqual({ secret: expect.objectContaining({ client_secret: "the-okta-secret" }) });
  });

  test("are nowhere else in the program", () => {
    const others = program.all.filter(({ type }) => type !== "aws:cognito/identityProvider:IdentityProvider");
    expect(JSON.stringify(others.map(({ inputs }) => inputs))).not.toMatch(/the-(google|okta)-secret/);
  });
});

test("what Cognito adds to the details is not taken away again at the next deployment", () => {
  const ignored = (name: string) => provider(name).options.ignoreChanges;
  expect(ignored("google")).toEqual(
    expect.arrayContaining(["providerDetails.authorize_url", "providerDetails.oidc_issuer"]),
  );
  // The stack's own.
  expect(ignored("okta")).not.toContain("providerDetails.oidc_issuer");
  expect(ignored("okta")).toContain("providerDetails.jwks_uri");
});

describe("each app client", () => {
  test("offers the pool's own sign-in and every provider, and waits until they are there", () => {
    for (const { inputs } of clients(program)) {
      expect(inputs.supportedIdentityProviders).toEqual(["COGNITO", "Google", "Okta"]);
    }
    expect(clients(program)).toHaveLength(3);
  });

  test("offers the pool's own alone if the stack configures no other", async () => {
    const declared = await identityWith({ "archway:google": undefined });
    expect(declared.ofType("aws:cognito/identityProvider:IdentityProvider")).toEqual([]);
    for (const { inputs } of clients(declared)) expect(inputs.supportedIdentityProviders).toEqual(["COGNITO"]);
  });
});
