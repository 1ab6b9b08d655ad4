// A kept credential stays on the way it was given for: each change of where or how it is sent wants it again.
import { describe, expect, test } from "@jest/globals";
import { type CredentialWay, requireSameWay } from "../../../domain/upstream/moved-credential.ts";
import type { UpstreamAuth } from "../../../domain/upstream/upstream-auth.ts";

const header: UpstreamAuth = { kind: "api_key", location: "header", name: "x-key", prefix: "Key" };
const address = "https://api.example.com/v1?tenant=a";
const kept: CredentialWay = { auth: header, addresses: [address, "https://second.example.com"] };
const change = (next: Partial<CredentialWay>) => () => requireSameWay(kept, { ...kept, ...next }, "the document");

describe("is refused", () => {
  test.each([
    ["another kind", { kind: "bearer" }],
    ["another place", { ...header, location: "query" }],
    ["another name", { ...header, name: "x-other" }],
    ["another prefix", { ...header, prefix: "Token" }],
    ["no prefix", { kind: "api_key", location: "header", name: "x-key" }],
  ] as [string, UpstreamAuth][])("sending a kept credential by %s is refused", (_, auth) => {
    expect(change({ auth })).toThrow("auth.secret: send it again, because auth changes how it is sent");
  });

  test.each([
    ["another host", "https://evil.example/v1?tenant=a"],
    ["a host within the host", "https://x.api.example.com/v1?tenant=a"],
    ["another port", "https://api.example.com:8443/v1?tenant=a"],
    ["another path", "https://api.example.com/v2?tenant=a"],
    ["a longer path", "https://api.example.com/v1/b?tenant=a"],
    ["a shorter path", "https://api.example.com/?tenant=a"],
    ["another query", "https://api.example.com/v1?tenant=b"],
  ])("sending a kept credential to %s is refused", (_, other) => {
    const refused = expect.objectContaining({
      code: "secret_missing",
      fields: [expect.objectContaining({ path: "auth.secret" })],
    });
    expect(change({ addresses: [address, other] })).toThrow("because the document leads to another address");
    expect(change({ addresses: [address, other] })).toThrow(refused);
  });
});

describe("is no move", () => {
  test.each([
    ["fewer of the addresses", { addresses: [address] }],
    ["another order", { addresses: [...kept.addresses].reverse() }],
    ["another spelling", { addresses: ["https://API.example.com:443/v1/?tenant=a", "https://second.example.com/"] }],
    ["no credential at all", { auth: { kind: "none" }, addresses: ["https://evil.example/"] }],
  ] as [string, Partial<CredentialWay>][])("a kept credential may be sent with %s", (_, next) =>
    expect(change(next)).not.toThrow(),
  );

  test("writing a bearer token as an API key does not move the credential", () => {
    const bearer = { auth: { kind: "bearer" }, addresses: [address] } as const;
    const same = { kind: "api_key", location: "header", name: "Authorization", prefix: "Bearer" } as const;
    expect(() => requireSameWay(bearer, { ...bearer, auth: same }, "endpoint")).not.toThrow();
  });
});
