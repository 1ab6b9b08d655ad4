import { expect, test } from "@jest/globals";
import type * as pulumi from "@pulumi/pulumi";
import { Certificate } from "../../components/certificate.ts";
import { declarationsOf } from "../support/program/pulumi-program.ts";

const zoneId = "0123456789abcdef0123456789abcdef";

let arn: pulumi.Output<string> | undefined;
const declared = await declarationsOf(() => {
  arn = new Certificate("edge", { domainName: "*.proxy.archway.example", zoneId, region: "us-east-1" }).arn;
  new Certificate("api", { domainName: "api.archway.example", zoneId });
});

test("a certificate is validated by DNS, in the requested region", () => {
  const certificate = (name: string) => declared.get("aws:acm/certificate:Certificate", name).inputs;
  expect(certificate("edge")).toEqual({
    domainName: "*.proxy.archway.example",
    validationMethod: "DNS",
    region: "us-east-1",
  });
  expect(certificate("api")).toEqual({ domainName: "api.archway.example", validationMethod: "DNS" });
});

test("a certificate's DNS record is in Cloudflare's zone, not proxied, without ACM's final dots", () => {
  expect(declared.get("cloudflare:index/dnsRecord:DnsRecord", "edge-validation").inputs).toEqual({
    zoneId,
    type: "CNAME",
    name: "_local.proxy.archway.example",
    content: "_local.acm-validations.aws",
    ttl: 1,
    proxied: false,
  });
});

test("resources that use a certificate wait until it is valid, in the certificate's own region", async () => {
  const certificateArn = expect.stringMatching(/^arn:aws:acm:us-east-1:000000000000:certificate\//);
  const validation = declared.get("aws:acm/certificateValidation:CertificateValidation", "edge").inputs;
  expect(validation).toEqual({
    certificateArn,
    validationRecordFqdns: ["_local.proxy.archway.example"],
    region: "us-east-1",
  });
  expect(await new Promise((resolve) => arn?.apply(resolve))).toBe(validation.certificateArn);
});

test("all resources of a certificate are its children", () => {
  const children = declared.all.filter(({ type }) => type !== "archway:index:Certificate");
  expect(children.map(({ parent }) => parent?.name)).toEqual(["edge", "edge", "edge", "api", "api", "api"]);
});
