import { expect, test } from "@jest/globals";
import { Faults } from "../../../emulators/aws/faults.ts";
import { Clock } from "../../../emulators/clock.ts";
import type { Cognito } from "../../../emulators/cognito/cognito.ts";
import type { Functions } from "../../../emulators/lambda/functions.ts";
import { PriceList } from "../../../emulators/model-lists/price-list.ts";
import { type DeclaredResource, Resources } from "../../../emulators/pulumi/resources.ts";
import type { Stripe } from "../../../emulators/stripe/stripe.ts";
import { declared } from "../../../emulators/test/support/declared-iam.ts";
import { platformDomain, virtualHosts } from "../../../local/edge/virtual-hosts.ts";

const pool = declared("aws:cognito/userPool:UserPool", "pool", {});
const domain = declared("aws:cognito/userPoolDomain:UserPoolDomain", "domain", { domain: "auth.example.org" });
const distribution = declared("aws:cloudfront/distribution:Distribution", "proxy", {
  aliases: ["*.proxy.example.org"],
  origins: [{ originId: "proxy", domainName: "elsewhere.example.org", customOriginConfig: { originReadTimeout: 60 } }],
  defaultCacheBehavior: { targetOriginId: "proxy" },
});

const aProgram = (...more: DeclaredResource[]) => ({
  resources: new Resources([pool, domain, ...more]),
  exports: {},
  region: "eu-central-1",
});
const parts = {
  functions: {} as Functions,
  cognito: {} as Cognito,
  stripe: {} as Stripe,
  agentcore: { gatewayHost: { matches: () => false } as never },
  hosts: { matches: () => false } as never,
  clock: new Clock(),
  faults: new Faults(),
  priceList: new PriceList(new Clock()),
  addresses: { edge: "http://127.0.0.1:8787", aws: "http://127.0.0.1:4566" },
  connector: () => "http://127.0.0.1:1",
};

test("the platform's domain is served by the sign-in host", () => {
  expect(platformDomain(aProgram())).toBe("example.org");
});

test("the user pool answers on the sign-in host, and where functions read its key set", () => {
  const hosts = virtualHosts(aProgram(), parts);
  const served = (host: string) => hosts.some((candidate) => candidate.matches(host));
  expect(["auth.example.org", "cognito-idp.eu-central-1.amazonaws.com"].map(served)).toEqual([true, true]);
  expect(["example.org", "cognito-idp.us-east-1.amazonaws.com"].map(served)).toEqual([false, false]);
});

test("a distribution whose origin is not a function URL of the program is refused", () => {
  expect(() => virtualHosts(aProgram(distribution), parts)).toThrow("elsewhere.example.org is no function URL");
});

test("Stripe's API is served under its own name, and its pages on a host of the platform", () => {
  const hosts = virtualHosts(aProgram(), parts);
  const served = (host: string) => hosts.some((candidate) => candidate.matches(host));
  expect(["api.stripe.com", "stripe.example.org", "stripe.com"].map(served)).toEqual([true, true, false]);
});
