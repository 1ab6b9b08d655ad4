// In QuickJS, as the proxy's edge function is: an engine that has none of Node's globals, as CloudFront's has none.
import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { getQuickJS, type QuickJSWASMModule } from "quickjs-emscripten";
import { edgeCodeProblems } from "../../../components/aws-limits.ts";
import { connectorRequest } from "../../../components/mcp-gateway/viewer-request.ts";
import { gatewayAddress } from "../../../domain/mcp/names.ts";

const relayKey = "a".repeat(64);
const iss = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc";
const tenant_id = "00000000-0000-4000-8000-000000000001";
const code = connectorRequest({
  origin: "https://mcp.archway.example",
  tokenIssuer: iss,
  region: "eu-central-1",
  scope: "platform/mcp:connect",
  relayKey,
});
const id = "0123abcd-00000000000040008000000000000001-abcde12345";
const path = `/${gatewayAddress(id, relayKey)}/mcp`;
const host = `${id}.gateway.bedrock-agentcore.eu-central-1.amazonaws.com`;

let quickJs: QuickJSWASMModule;
beforeAll(async () => {
  quickJs = await getQuickJS();
});

type Asked = { method?: string; uri: string; query?: string; authorization?: string };

/** Runs the function with what CloudFront's modules give it: the hash, and the change of the origin. */
function run({ method = "POST", uri, query, authorization }: Asked) {
  const headers = {
    host: { value: "mcp.archway.example" },
    ...(authorization && { authorization: { value: authorization } }),
  };
  const request = { method, uri, querystring: {}, headers, cookies: { "__Host-archway_browser": { value: "b" } } };
  const context = quickJs.newContext();
  try {
    const hmac = context.newFunction("hmac", (key, text) =>
      context.newString(createHmac("sha256", context.getString(key)).update(context.getString(text)).digest("hex")),
    );
    context.setProp(context.global, "hmac", hmac);
    hmac.dispose();
    const modules = `
      var moved = null;
      var cf = { updateRequestOrigin: function (origin) { moved = origin; } };
      var crypto = { createHmac: function (name, key) { return { update: function (text) { return { digest: function () { return hmac(key, text); } }; } }; } };
    `;
    const call = `
      var request = ${JSON.stringify(request)};
      request.rawQueryString = function () { return ${JSON.stringify(query)}; };
      JSON.stringify({ answer: handler({ version: '1.0', context: {}, viewer: {}, request: request }), moved: moved });
    `;
    const source = `"use strict";${modules}${code.replace(/^import .*$/gm, "")}${call}`;
    const { answer, moved } = JSON.parse(
      context.unwrapResult(context.evalCode(source)).consume((value) => context.getString(value)),
    );
    return { answer, moved, body: answer.body && JSON.parse(answer.body.data) };
  } finally {
    context.dispose();
  }
}

const bearer = (claims: object) =>
  `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2lnbmF0dXJl`;
const inAnHour = Math.floor(Date.now() / 1000) + 3_600;
const good = { exp: inAnHour, iss, tenant_id };

test("the connectors' edge function has a size that CloudFront accepts", () => {
  expect(edgeCodeProblems("mcp", code)).toEqual([]);
});

describe("a call of a gateway", () => {
  test("a call of a gateway goes to the gateway's host, without the cookies of a sign-in", () => {
    const authorization = bearer({ ...good, name: "Žofie" });
    const { answer, moved } = run({ uri: path, authorization });
    expect(moved).toEqual({ domainName: host, hostHeader: host });
    expect(answer).toMatchObject({ uri: "/mcp", method: "POST", headers: { authorization: { value: authorization } } });
    expect(answer.cookies).toEqual({});
  });

  test.each([
    ["nothing", undefined, /^Bearer resource_metadata=/],
    ["a token that is over", bearer({ ...good, exp: 1 }), /^Bearer error="invalid_token"/],
    ["a token that never ends", bearer({ iss, tenant_id }), /^Bearer error="invalid_token"/],
    ["a token of another issuer", bearer({ ...good, iss: `${iss}d` }), /^Bearer error="invalid_token"/],
    [
      "a token for another workspace",
      bearer({ ...good, tenant_id: tenant_id.replace(/1$/, "2") }),
      /^Bearer error="invalid_token"/,
    ],
    ["a token for no workspace", bearer({ exp: inAnHour, iss }), /^Bearer error="invalid_token"/],
    [
      "a payload that is null",
      `Bearer e30.${Buffer.from("null").toString("base64url")}.e30`,
      /^Bearer error="invalid_token"/,
    ],
    ["no token", "Basic YTpi", /^Bearer error="invalid_token"/],
    ["a token that is none", "Bearer e30.%%.e30", /^Bearer error="invalid_token"/],
    ["a payload that is no JSON", "Bearer e30.AAAA.e30", /^Bearer error="invalid_token"/],
  ])("a call of a gateway with %s is told where to sign in", (_, authorization, challenge) => {
    const { answer, moved } = run({ uri: path, ...(authorization && { authorization }) });
    expect(answer.statusCode).toBe(401);
    const { value } = answer.headers["www-authenticate"];
    expect(value).toMatch(challenge);
    expect(value).toContain(
      `resource_metadata="https://mcp.archway.example/.well-known/oauth-protected-resource${path}"`,
    );
    expect(value).toContain('scope="platform/mcp:connect"');
    expect(moved).toBeNull();
  });

  test.each([
    ["somebody else's gateway", `/${gatewayAddress("foreign-abcde12345", "b".repeat(64))}/mcp`],
    ["another gateway under this one's mark", path.replace("00000001", "00000002")],
    ["a gateway without a mark", `/${id}/mcp`],
    ["another path of the gateway", path.replace("/mcp", "/ping")],
    ["no gateway", "/"],
    ["a host in the path", `/${id}.evil.example%2f${"0".repeat(24)}/mcp`],
  ])("a call of a gateway with %s is not forwarded", (_, uri) => {
    const { answer, moved } = run({ uri, authorization: bearer(good) });
    expect(answer.statusCode).toBe(404);
    expect(moved).toBeNull();
  });
});

describe("the metadata", () => {
  test.each(["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"])(
    "metadata of the authorization server at %s names only this origin, and S256",
    (uri) => {
      const { answer, body } = run({ method: "GET", uri });
      expect(answer).toMatchObject({ statusCode: 200, headers: { "access-control-allow-origin": { value: "*" } } });
      expect(body).toMatchObject({
        issuer: "https://mcp.archway.example",
        authorization_endpoint: "https://mcp.archway.example/authorize",
        token_endpoint: "https://mcp.archway.example/token",
        registration_endpoint: "https://mcp.archway.example/register",
        revocation_endpoint: "https://mcp.archway.example/revoke",
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
        scopes_supported: ["platform/mcp:connect"],
      });
    },
  );

  test.each([
    ["", "https://mcp.archway.example"],
    [path, `https://mcp.archway.example${path}`],
  ])("metadata of the resource %j names the authorization server", (of, resource) => {
    const { body } = run({ method: "GET", uri: `/.well-known/oauth-protected-resource${of}` });
    expect(body).toMatchObject({ resource, authorization_servers: ["https://mcp.archway.example"] });
  });

  test("an unknown gateway has no metadata", () => {
    expect(run({ method: "GET", uri: `/.well-known/oauth-protected-resource/${id}/mcp` }).answer.statusCode).toBe(404);
  });
});

test.each(["/register", "/authorize", "/callback", "/token", "/revoke"])(
  "%s is forwarded to the authorization server with its cookies",
  (uri) => {
    const { answer, moved } = run({ method: "GET", uri, query: "code=c" });
    expect(answer).toMatchObject({ uri, cookies: { "__Host-archway_browser": { value: "b" } } });
    expect(moved).toBeNull();
  },
);

test("a browser's preflight request is answered with the headers that both eras of MCP send", () => {
  const { value } = run({ method: "OPTIONS", uri: path }).answer.headers["access-control-allow-headers"];
  expect(run({ method: "OPTIONS", uri: path }).answer.statusCode).toBe(204);
  expect(value.split(", ")).toEqual(
    expect.arrayContaining(["authorization", "mcp-method", "mcp-name", "mcp-session-id"]),
  );
});
