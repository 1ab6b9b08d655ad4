import { describe, expect, test } from "@jest/globals";
import { Resources } from "../../../pulumi/resources.ts";
import { declaredPool } from "../../../pulumi/services/cognito.ts";
import { declared } from "../../support/declared-iam.ts";

const pool = declared("aws:cognito/userPool:UserPool", "pool", {}, { id: "pool-1" });
const domain = declared("aws:cognito/userPoolDomain:UserPoolDomain", "domain", { domain: "auth.localhost" });
const client = (name: string) => declared("aws:cognito/userPoolClient:UserPoolClient", name, {}, { id: name });
const google = declared("aws:cognito/identityProvider:IdentityProvider", "google", { providerName: "Google" });
const server = declared("aws:cognito/resourceServer:ResourceServer", "platform", { identifier: "platform" });

test("the declared pool has its host, app clients, resource servers and external providers, as on AWS", () => {
  expect(declaredPool(new Resources([pool, domain, client("console"), client("helper"), server, google]))).toEqual({
    pool: { id: "pool-1" },
    domain: "auth.localhost",
    domains: [{ host: "auth.localhost", isPrefix: false, managedLoginVersion: 1 }],
    styledClients: [],
    clients: [{ id: "console" }, { id: "helper" }],
    resourceServers: [{ identifier: "platform" }],
    identityProviders: [{ providerName: "Google" }],
  });
});

describe("one pool with one domain is all that is served", () => {
  test.each([
    ["no pool", [domain]],
    ["no domain", [pool]],
    ["two pools", [pool, pool, domain]],
    ["two domains", [pool, domain, domain]],
  ])("%s", (_, resources) => {
    expect(() => declaredPool(new Resources(resources))).toThrow("one user pool with one domain");
  });
});

test("a domain with a prefix exists beside the pool's own domain, at Cognito's host", () => {
  const prefix = declared("aws:cognito/userPoolDomain:UserPoolDomain", "prefix", {
    domain: "archway-dev",
    managedLoginVersion: 1,
    region: "eu-central-1",
  });
  const { domain: own, domains } = declaredPool(new Resources([pool, prefix, domain]));
  expect(own).toBe("auth.localhost");
  expect(domains).toContainEqual({
    host: "archway-dev.auth.eu-central-1.amazoncognito.com",
    isPrefix: true,
    managedLoginVersion: 1,
  });
});
