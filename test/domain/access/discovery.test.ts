import { expect, test } from "@jest/globals";
import { discoveryPath, discoverySchema } from "../../../domain/access/discovery.ts";
import { aDiscovery } from "../../support/control-plane.ts";

test("discovery gives a client the platform's addresses and its app client", () => {
  expect(discoverySchema.parse(aDiscovery)).toEqual(aDiscovery);
  expect(discoveryPath).toBe("/.well-known/archway.json");
});

test.each([
  ["an address that is none", { auth_url: "auth.example.com" }],
  ["a proxy without a place for the workspace", { proxy_url: "https://proxy.example.com/vendor" }],
  [
    "a client without a redirect URI",
    { clients: { token_helper: { client_id: "5", redirect_uris: [], scopes: ["a"] } } },
  ],
])("a discovery document with %s is refused", (_what, change) => {
  expect(discoverySchema.safeParse({ ...aDiscovery, ...change }).success).toBe(false);
});
