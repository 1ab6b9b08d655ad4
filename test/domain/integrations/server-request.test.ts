import { expect, test } from "@jest/globals";
import type { McpServerBody, McpServerChange } from "../../../domain/integrations/server-body.ts";
import { changeCandidate, registrationCandidate } from "../../../domain/integrations/server-request.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";

const uploads = {
  uploadOf: (tenantId: string, uri: string) => (uri === `s3://specs/${tenantId}` ? "upload" : undefined),
};
const registration = (body: McpServerBody) => registrationCandidate(uploads, "t1", body);
const server = aServer({
  target_mode: "mcp_server",
  endpoint: "https://mcp.pets.example/mcp",
  auth: { kind: "bearer" },
});
const { server_id } = server;
const change = (body: McpServerChange, of = server) => changeCandidate(uploads, { ...of, secret_version: 1 }, body);
const bearer = { kind: "bearer", secret: "s" } as const;

test("a registration's candidate has the address or the document, and the credential apart from its way", () => {
  const auth = { kind: "bearer" };
  const custom = { name: "pets", auth: bearer };
  expect([
    registration({ ...custom, target_mode: "mcp_server", endpoint: "https://mcp.pets.example/mcp" }),
    registration({ ...custom, target_mode: "openapi", spec: { openapi: "3.0.3" } }),
    registration({ name: "pets", target_mode: "openapi", spec_uri: "s3://specs/t1" }),
    registration({ provider_id: "tavily", secret: "s" }),
  ]).toEqual([
    { target_mode: "mcp_server", endpoint: "https://mcp.pets.example/mcp", auth, secret: "s" },
    { target_mode: "openapi", spec: '{"openapi":"3.0.3"}', auth, secret: "s" },
    { target_mode: "openapi", upload: "upload", auth: { kind: "none" } },
    { target_mode: "marketplace", provider_id: "tavily", secret: "s" },
  ]);
});

test("a registration is refused without the credential that it names, and with an upload of another workspace", () => {
  const api = { name: "pets", target_mode: "openapi" } as const;
  const refused = (body: McpServerBody) => expect(() => registration(body)).toThrow;
  refused({ ...api, spec: "openapi: 3.0.3", auth: { kind: "bearer" } })("auth.secret: is required");
  refused({ ...api, spec_uri: "s3://specs/t2" })("spec_uri: must be a spec_uri that POST /v1/mcp-specs gave");
});

test("a change's candidate has what stays of the integration", () => {
  const moved = { endpoint: "https://other.pets.example/mcp" };
  expect([change(moved), change({ auth: bearer })]).toEqual([
    { target_mode: "mcp_server", ...moved, auth: { kind: "bearer" }, server_id },
    { target_mode: "mcp_server", endpoint: server.endpoint, auth: { kind: "bearer" }, secret: "s", server_id },
  ]);
});

test("a change of the rules of tools alone has no candidate", () => {
  const tavily = aServer({ target_mode: "runtime", provider_id: "tavily" });
  const rules = { tools: { owners_only: [] } };
  expect([change(rules), change(rules, tavily)]).toEqual([undefined, undefined]);
  expect(change({}, tavily)).toEqual({ target_mode: "marketplace", provider_id: "tavily", server_id });
});

test("a change is refused that gives a field of the other kind of integration", () => {
  expect(() => change({ secret: "s" })).toThrow("secret: is for the other kind of integration");
  expect(() => change({ spec: "openapi: 3.0.3" })).toThrow("spec: is for target_mode openapi");
});
