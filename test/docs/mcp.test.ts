// The examples of docs/mcp.md are bodies and a document that the control plane takes.
import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { mcpServerBody, mcpServerChange } from "../../domain/integrations/server-body.ts";
import { providers } from "../../domain/marketplace/providers.ts";
import { toolsOfSpec } from "../../domain/openapi/registered-spec.ts";
import { rewriteSpec } from "../../domain/openapi/rewriting.ts";

const page = await readFile(new URL("../../docs/mcp.md", import.meta.url), "utf8");
const [, document = ""] = /```json\n(\{\n *"openapi".*?)```/s.exec(page) ?? [];
/** The bodies of the commands of a method, as the shell makes them. */
const bodies = (method: string) =>
  [...page.matchAll(new RegExp(`api ${method} /mcp-servers(?:/\\$ID)? -d '(\\{.*?\\})'\\n`, "gs"))].map(
    ([, body = ""]) => JSON.parse(body.replace(`'"$(cat pets.json)"'`, document)),
  );

test("docs/mcp.md lists the marketplace's providers", () => {
  const [, listed = ""] = /`api GET \/mcp-providers` lists (.+?), with/.exec(page) ?? [];
  expect([...listed.matchAll(/`([\w-]+)`/g)].map(([, id]) => id)).toEqual(providers.map((one) => one.provider_id));
});

test("the OpenAPI document in docs/mcp.md is valid", () => {
  const made = rewriteSpec(JSON.parse(document), { names: new Map(), digest: (text) => text });
  if ("problem" in made) throw new Error(made.problem.message);
  expect(toolsOfSpec(made).map(({ name }) => name)).toEqual(["listPets"]);
});

test("the registrations in docs/mcp.md are valid", () => {
  const kinds = bodies("POST").map((body) => mcpServerBody.parse(body).target_mode);
  expect(kinds).toEqual(["openapi", "mcp_server", undefined]);
});

test("the changes in docs/mcp.md are valid", () => {
  const changed = bodies("PUT").map((body) => Object.keys(mcpServerChange.parse(body)));
  expect(changed).toEqual([["auth"], ["tools"]]);
});
