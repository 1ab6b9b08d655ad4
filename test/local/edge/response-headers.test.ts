import { expect, test } from "@jest/globals";
import { corsPolicyHeaders, policyHeaders } from "../../../local/edge/response-headers.ts";

const policy = (inputs: object) => ({
  type: "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy",
  name: "console",
  inputs,
  outputs: {},
});

test("a response headers policy sets headers by their standard names", () => {
  const securityHeadersConfig = {
    contentSecurityPolicy: { contentSecurityPolicy: "default-src 'none'", override: true },
    contentTypeOptions: { override: true },
    frameOptions: { frameOption: "DENY", override: true },
    referrerPolicy: { referrerPolicy: "no-referrer", override: true },
    strictTransportSecurity: { accessControlMaxAgeSec: 60, override: true },
  };
  const customHeadersConfig = { items: [{ header: "permissions-policy", value: "camera=()", override: true }] };
  expect(policyHeaders(policy({ securityHeadersConfig, customHeadersConfig }))).toEqual({
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=60",
    "permissions-policy": "camera=()",
  });
});

test("a response headers policy sets no other headers", () => {
  expect(policyHeaders(policy({}))).toEqual({});
});

test("a response headers policy lets pages of other origins read answers, as far as it says so", () => {
  const corsConfig = {
    accessControlAllowCredentials: false,
    accessControlAllowHeaders: { items: ["authorization", "mcp-name"] },
    accessControlAllowMethods: { items: ["GET", "POST"] },
    accessControlAllowOrigins: { items: ["*"] },
    accessControlExposeHeaders: { items: ["mcp-session-id"] },
    originOverride: true,
  };
  expect(corsPolicyHeaders(policy({ corsConfig }))).toEqual({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, mcp-name",
    "access-control-expose-headers": "mcp-session-id",
  });
  expect(corsPolicyHeaders(policy({}))).toEqual({});
});
