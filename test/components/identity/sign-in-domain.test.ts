import { describe, expect, test } from "@jest/globals";
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { stackConfig } from "../../../components/config.ts";
import { SignInDomain } from "../../../components/identity/sign-in-domain.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

async function domainWith(overrides: Record<string, string>) {
  const config = stackConfig(await readStackConfig(localStackFile, overrides));
  return declarationsOf(() => {
    new SignInDomain("identity", { config, userPool: new aws.cognito.UserPool("identity") });
  });
}

const program = await domainWith({});

test("people sign in on auth.<domain>, whose certificate is in the region where Cognito looks for it", () => {
  const domain = program.get("aws:cognito/userPoolDomain:UserPoolDomain", "identity").inputs;
  expect(domain).toMatchObject({ domain: "auth.localhost", managedLoginVersion: 2 });
  expect(domain.certificateArn).toMatch(/^arn:aws:acm:us-east-1:/);
  expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "identity-auth").inputs).toMatchObject({
    name: "auth.localhost",
    type: "CNAME",
    content: "d111111abcdef8.cloudfront.net",
    proxied: false,
  });
});

describe("the domain above auth.<domain>", () => {
  const dependenciesOf = async (declared: typeof program) => {
    const { dependsOn } = declared.get("aws:cognito/userPoolDomain:UserPoolDomain", "identity").options;
    const urns = (dependsOn as pulumi.Resource[]).map(({ urn }) => new Promise<string>((known) => urn.apply(known)));
    return (await Promise.all(urns)).map((urn) => urn.split("::").at(-1));
  };

  test("the domain above auth.<domain> gets an address, without which Cognito accepts no domain below it, and the pool's domain waits for it", async () => {
    expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "identity-domain").inputs).toMatchObject({
      name: "localhost",
      type: "A",
      content: "192.0.2.1",
      proxied: false,
    });
    expect(await dependenciesOf(program)).toEqual(["identity-domain"]);
  });

  test("the domain above auth.<domain> is not changed if the stack says that it resolves", async () => {
    const declared = await domainWith({ "archway:domainResolves": "true" });
    const records = declared.ofType("cloudflare:index/dnsRecord:DnsRecord").map(({ inputs }) => inputs.name);
    expect(records).not.toContain("localhost");
    expect(await dependenciesOf(declared)).toEqual([]);
  });
});

test.each([
  ["aws:cognito/userPoolDomain:UserPoolDomain", "identity"],
  ["cloudflare:index/dnsRecord:DnsRecord", "identity-auth"],
])("a resource that can exist only once is deleted before it is replaced: %s", (type, name) => {
  expect(program.get(type, name).options.deleteBeforeReplace).toBe(true);
});
