// The fields that a registration and a change of an integration may have, and the field that a refusal names.
import { expect, test } from "@jest/globals";
import { mcpServerBody, mcpServerChange } from "../../../domain/integrations/server-body.ts";

const auth = { kind: "bearer", secret: "s3cret" };
const server = { name: "pets", target_mode: "mcp_server", endpoint: "https://mcp.pets.example/mcp", auth };
const spec = { openapi: "3.0.3" };

const pathsOf = (body: typeof mcpServerBody | typeof mcpServerChange, given: object) => {
  const { error } = body.safeParse(given);
  return (error?.issues ?? []).map(({ path }) => path.join("."));
};

test.each<[string, object, string[]]>([
  ["an MCP server", {}, []],
  ["no name", { name: undefined }, ["name"]],
  ["neither a kind nor a provider", { target_mode: undefined }, ["target_mode"]],
  ["no address", { endpoint: undefined }, ["endpoint"]],
  ["an address that is not https", { endpoint: "http://mcp.pets.example/mcp" }, ["endpoint"]],
  ["a document beside an address", { spec }, ["spec"]],
  ["an API without a document", { target_mode: "openapi", endpoint: undefined }, ["spec"]],
  ["an API with two documents", { target_mode: "openapi", endpoint: undefined, spec, spec_uri: "u" }, ["spec"]],
  ["an API with an address", { target_mode: "openapi", spec }, ["endpoint"]],
  ["the secret of a provider", { secret: "s3cret" }, ["secret"]],
])("a registration of a custom integration with %s names the field", (_, change, paths) => {
  expect(pathsOf(mcpServerBody, { ...server, ...change })).toEqual(paths);
});

test.each<[string, object, string[]]>([
  ["its secret", { secret: "s3cret" }, []],
  ["no secret", {}, ["secret"]],
  ["the kind of a custom one", { secret: "s3cret", target_mode: "mcp_server" }, ["provider_id", "target_mode"]],
  ["a document", { secret: "s3cret", spec }, ["provider_id", "spec"]],
])("a registration of a marketplace integration with %s names the field", (_, change, paths) => {
  expect(pathsOf(mcpServerBody, { provider_id: "notion", ...change })).toEqual(paths);
});

test("a change of an integration has one document at most", () => {
  expect(pathsOf(mcpServerChange, { spec })).toEqual([]);
  expect(pathsOf(mcpServerChange, { spec_uri: "u" })).toEqual([]);
  expect(pathsOf(mcpServerChange, { spec, spec_uri: "u" })).toEqual(["spec"]);
});
