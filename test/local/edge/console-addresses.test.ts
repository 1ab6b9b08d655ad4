import { expect, test } from "@jest/globals";
import { reachableConfig, reachableHeaders } from "../../../local/edge/console-addresses.ts";

const local = {
  domain: "localhost",
  region: "eu-central-1",
  edge: "http://127.0.0.1:8787",
  aws: "http://127.0.0.1:4566",
};

test("the platform's addresses are replaced by local ones, and the issuer stays as it is in tokens", () => {
  const issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc";
  const config = {
    issuer,
    openid_configuration_url: `${issuer}/.well-known/openid-configuration`,
    api_url: "https://api.localhost",
    user_pool_url: "https://cognito-idp.eu-central-1.amazonaws.com",
  };
  expect(JSON.parse(reachableConfig(JSON.stringify(config), local))).toEqual({
    issuer,
    openid_configuration_url: "http://127.0.0.1:8787/@auth/eu-central-1_abc/.well-known/openid-configuration",
    api_url: "http://127.0.0.1:8787/@api",
    user_pool_url: "http://127.0.0.1:4566",
  });
});

test("the content security policy allows the local console to call this machine's addresses, and no others", () => {
  const policy =
    "connect-src 'self' https://api.localhost https://cognito-idp.eu-central-1.amazonaws.com; img-src data:";
  expect(reachableHeaders({ "content-security-policy": policy, "x-frame-options": "DENY" }, local)).toEqual({
    "content-security-policy": "connect-src 'self' http://127.0.0.1:8787 http://127.0.0.1:4566; img-src data:",
    "x-frame-options": "DENY",
  });
  expect(reachableHeaders({ "x-frame-options": "DENY" }, local)).toEqual({ "x-frame-options": "DENY" });
});
