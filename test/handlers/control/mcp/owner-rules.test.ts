// The owner's rules of tools over HTTP: whom they bind cannot lift them, by no change and by no removal.
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { dayMs } from "../../../../domain/kernel/period.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { aRegisteredSpec } from "../../../support/mcp/registered-spec.ts";

type Person = Claims & { tenant_id: string };
const path = "/v1/mcp-servers";
const auth = { kind: "bearer", secret: "s3cret" };
const pets = { name: "pets", target_mode: "mcp_server", endpoint: "https://mcp.pets.example/mcp", auth };
const ruled = { ...pets, tools: { owners_only: ["feed"] } };
const document = (url: string) => ({
  ...{ openapi: "3.0.3", info: { title: "Pets", version: "1" }, servers: [{ url }] },
  paths: { "/pets": { get: { operationId: "list", responses: { 200: { description: "all" } } } } },
});

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Person;
let developer: Person;
let workspaces = 0;
const specOf = (text: string) => aRegisteredSpec("Pets", JSON.parse(text).servers[0].url);
const examine = jest.fn<(tenantId: string, candidate: { spec?: string }) => Promise<object>>();
const applied = jest.fn<(server: object, material: object) => Promise<void>>();

beforeAll(async () => {
  plane = await openControlPlane(({ probe, serverWork, clock }, { mcpServers }) => ({
    probe: { ...probe, examine } as typeof probe,
    serverWork: {
      ...serverWork,
      applyServer: applied,
      async removeServer({ tenant_id, server_id }) {
        const server = await mcpServers.get(tenant_id, server_id);
        if (server) await mcpServers.remove(server, clock());
      },
    },
  }));
});
afterAll(() => plane.close());
beforeEach(async () => {
  const tools = ["feed", "list", "sell"].map((name) => ({ name, digest: "1" }));
  examine.mockReset().mockImplementation(async (_, { spec }) => ({ tools, ...(spec && { spec: specOf(spec) }) }));
  applied.mockReset().mockResolvedValue();
  owner = await plane.workspace(`Rules ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
  await plane.call("POST", "/v1/mcp-gateway", { as: owner });
});

async function ask(as: Person, method: string, at: string, body?: object) {
  const { status, body: answer } = await plane.call(method, path + at, { as, ...(body && { body }) });
  const fields = answer?.error?.details?.fields?.map((field: { path: string }) => field.path);
  return { status, body: answer, said: `${status} ${answer?.error?.message ?? ""}`, fields };
}
const registered = async (as: Person, body: object): Promise<string> => {
  const { said, body: answer } = await ask(as, "POST", "", body);
  expect(said).toBe("202 ");
  return answer.server_id;
};
const toolsOf = async (id: string) => (await ask(owner, "GET", `/${id}`)).body.tools;
const removed = async (as: Person, id: string) => expect((await ask(as, "DELETE", `/${id}`)).status).toBe(202);

describe("a developer's change of the tools", () => {
  test.each([
    ["removes no rule by naming none", {}, "tools.owners_only"],
    ["removes no rule by an empty list", { owners_only: [] }, "tools.owners_only"],
    ["removes no rule by another name", { owners_only: ["sell"] }, "tools.owners_only"],
  ])("a developer's change of an integration's tools %s", async (_, tools, field) => {
    const id = await registered(owner, ruled);
    const answer = await ask(developer, "PUT", `/${id}`, { tools });
    expect([answer.status, answer.fields]).toEqual([403, [field]]);
    expect(answer.said).toContain("must keep feed: the owner restricted it");
    expect((await toolsOf(id)).owners_only).toEqual(["feed"]);
  });

  test("a developer's change of an integration's tools offers only tools that the owner offers, or fewer", async () => {
    const id = await registered(owner, { ...pets, tools: { offered: ["feed", "list"], owners_only: ["feed"] } });
    const all = await ask(developer, "PUT", `/${id}`, { tools: { owners_only: ["feed"] } });
    expect([all.status, all.fields]).toEqual([403, ["tools.offered"]]);
    const other = await ask(developer, "PUT", `/${id}`, { tools: { offered: ["list", "sell"] } });
    expect([other.status, other.fields]).toEqual([403, ["tools.offered.1"]]);
    expect(other.said).toContain("the owner offers feed, list alone");
    expect((await ask(developer, "PUT", `/${id}`, { tools: { offered: ["list"] } })).said).toBe("202 ");
  });

  test("a developer's change of an integration's tools can restrict more, and remove restrictions only as far as the owner's rules allow", async () => {
    const id = await registered(owner, ruled);
    const more = { owners_only: ["feed", "sell"] };
    expect((await ask(developer, "PUT", `/${id}`, { tools: more })).body.tools).toMatchObject(more);
    const back = { owners_only: ["feed"] };
    expect((await ask(developer, "PUT", `/${id}`, { tools: back })).body.tools).toMatchObject(back);
    expect((await toolsOf(id)).set_by_owner).toEqual(back);
  });

  test("a developer's change of an integration's tools is unrestricted if the owner set no rule", async () => {
    const id = await registered(developer, ruled);
    expect((await ask(developer, "PUT", `/${id}`, { tools: {} })).body.tools.owners_only).toEqual([]);
  });

  test("a developer's change of an integration's tools keeps a rule for a tool that the server no longer has", async () => {
    const id = await registered(owner, ruled);
    examine.mockResolvedValue({ tools: [{ name: "list", digest: "1" }] });
    expect((await ask(owner, "PUT", `/${id}`, { auth })).said).toBe("202 ");
    const answer = await ask(developer, "PUT", `/${id}`, { tools: { owners_only: ["list"] } });
    expect(answer.body.tools.owners_only).toEqual(["list", "feed"]);
  });
});

test("the owner can remove a rule of tools", async () => {
  const id = await registered(owner, ruled);
  expect((await ask(owner, "PUT", `/${id}`, { tools: {} })).body.tools).toEqual({
    all: ["feed", "list", "sell"],
    owners_only: [],
  });
  expect((await ask(developer, "PUT", `/${id}`, { tools: { owners_only: ["sell"] } })).status).toBe(202);
});

describe("under the owner's rules a developer moves no integration", () => {
  test("a developer cannot move an integration with the owner's rules to another address, where its host would have no rules", async () => {
    const id = await registered(owner, ruled);
    const answer = await ask(developer, "PUT", `/${id}`, { endpoint: "https://mcp.pets.example/other", auth });
    expect([answer.status, answer.fields]).toEqual([403, ["endpoint"]]);
    expect((await ask(developer, "PUT", `/${id}`, { endpoint: pets.endpoint, auth })).said).toBe("202 ");
    expect((await ask(owner, "PUT", `/${id}`, { endpoint: "https://mcp.pets.example/other", auth })).said).toBe("202 ");
  });

  test("a developer cannot move an integration with the owner's rules to another document, in which its tools could have other names", async () => {
    const spec = document("https://api.pets.example/v1");
    const api = { name: "api", target_mode: "openapi", spec, auth };
    const id = await registered(owner, { ...api, tools: { owners_only: ["list"] } });
    const answer = await ask(developer, "PUT", `/${id}`, { spec });
    expect([answer.status, answer.fields]).toEqual([403, ["spec"]]);
    expect((await ask(owner, "PUT", `/${id}`, { spec })).said).toBe("202 ");
  });

  test("a developer cannot move their own integration to a host that has the owner's rules", async () => {
    await registered(owner, ruled);
    const id = await registered(developer, { ...pets, name: "mine", endpoint: "https://other.example/mcp" });
    const moved = await ask(developer, "PUT", `/${id}`, { endpoint: pets.endpoint, auth });
    expect([moved.said, moved.body.tools.owners_only]).toEqual(["202 ", ["feed"]]);
  });
});

describe("a developer's registration", () => {
  const again = { ...pets, name: "again" };

  test.each([
    ["the same host under another name", again],
    ["another path of the host", { ...again, endpoint: "https://mcp.pets.example/v2" }],
    ["another port of the host", { ...again, endpoint: "https://mcp.pets.example:8443/mcp" }],
    ["the host in capitals and with the root's dot", { ...again, endpoint: "https://MCP.Pets.Example./mcp" }],
  ])("a developer's registration of %s keeps the owner's rules", async (_, body) => {
    await registered(owner, ruled);
    const id = await registered(developer, body);
    expect(await toolsOf(id)).toMatchObject({ owners_only: ["feed"], set_by_owner: { owners_only: ["feed"] } });
    const wider = await ask(developer, "POST", "", { ...body, name: "third", tools: { owners_only: [] } });
    expect([wider.status, wider.fields]).toEqual([403, ["tools.owners_only"]]);
  });

  test("a developer's second registration of a marketplace provider keeps the owner's rules", async () => {
    await registered(owner, { provider_id: "tavily", secret: "s", tools: { owners_only: ["feed"] } });
    const id = await registered(developer, { provider_id: "tavily", name: "second", secret: "mine" });
    expect((await toolsOf(id)).owners_only).toEqual(["feed"]);
  });

  test("a developer's registration of a document for a host under the owner's rules is refused: only the owner may register it", async () => {
    await registered(owner, { provider_id: "github", secret: "s", tools: { owners_only: ["feed"] } });
    const api = { name: "api", target_mode: "openapi", spec: document("https://api.github.com/"), auth };
    const answer = await ask(developer, "POST", "", api);
    expect([answer.status, answer.fields]).toEqual([403, ["spec"]]);
    expect(answer.said).toContain("the owner's rules of github hold for api.github.com");
    await registered(owner, api);
  });

  test("a developer's registration for which the owner's rules leave no tool says so", async () => {
    await registered(owner, { ...pets, tools: { offered: ["feed"] } });
    examine.mockResolvedValue({ tools: [{ name: "other", digest: "1" }] });
    const answer = await ask(developer, "POST", "", again);
    expect([answer.status, answer.fields]).toEqual([403, ["tools"]]);
    expect(answer.said).toContain("leave none of its tools");
  });

  test("a developer's registration of another host, and one in another workspace, have no owner's rules", async () => {
    await registered(owner, ruled);
    const free = await registered(developer, { ...again, endpoint: "https://pets.example/mcp" });
    expect((await toolsOf(free)).owners_only).toEqual([]);
    const stranger = await plane.workspace(`Rules ${workspaces++}`);
    await plane.call("POST", "/v1/mcp-gateway", { as: stranger });
    const member = await plane.developer(stranger.tenant_id);
    expect((await ask(member, "POST", "", pets)).body.tools.owners_only).toEqual([]);
  });
});

describe("after a removal, whoever removed", () => {
  const elsewhere = { ...pets, endpoint: "https://other.example/mcp" };

  test.each([
    ["name and host", pets],
    ["the name", elsewhere],
    ["the host", { ...pets, name: "again" }],
  ])("the owner's rules continue to apply to %s for 30 days", async (_, body) => {
    await removed(developer, await registered(owner, ruled));
    plane.db.clock.advance(30 * dayMs - 60_000);
    const id = await registered(developer, body);
    expect((await toolsOf(id)).owners_only).toEqual(["feed"]);
  });

  test("the owner's rules end after 30 days, whether or not their record is deleted by then", async () => {
    await removed(developer, await registered(owner, ruled));
    plane.db.clock.advance(30 * dayMs + 60_000);
    expect((await toolsOf(await registered(developer, pets))).owners_only).toEqual([]);
  });

  test("removing an integration again under its owner's rules restarts the 30 days", async () => {
    await removed(developer, await registered(owner, ruled));
    plane.db.clock.advance(20 * dayMs);
    await removed(developer, await registered(developer, elsewhere));
    plane.db.clock.advance(20 * dayMs);
    expect((await toolsOf(await registered(developer, elsewhere))).owners_only).toEqual(["feed"]);
  });

  test("the owner's rules of two removed integrations both apply", async () => {
    const two = [
      await registered(owner, ruled),
      await registered(owner, { ...ruled, name: "b", tools: { owners_only: ["sell"] } }),
    ];
    for (const id of two) await removed(developer, id);
    expect((await toolsOf(await registered(developer, { ...pets, name: "c" }))).owners_only.sort()).toEqual([
      "feed",
      "sell",
    ]);
  });

  test("the owner may register without rules, and ends remaining rules only by setting tools", async () => {
    await removed(developer, await registered(owner, ruled));
    await removed(owner, await registered(owner, pets));
    const bound = await registered(developer, pets);
    expect((await toolsOf(bound)).owners_only).toEqual(["feed"]);
    await ask(owner, "PUT", `/${bound}`, { tools: {} });
    await removed(developer, bound);
    expect((await toolsOf(await registered(developer, pets))).owners_only).toEqual([]);
  });

  test("an owner's change for which there is no room ends no rule", async () => {
    await removed(developer, await registered(owner, ruled));
    const bound = await registered(developer, pets);
    applied.mockRejectedValueOnce(new Refusal("platform_full", "there is no room"));
    expect((await ask(owner, "PUT", `/${bound}`, { auth, tools: {} })).said).toBe("409 there is no room");
    expect((await toolsOf(bound)).set_by_owner).toEqual({ owners_only: ["feed"] });
    await removed(developer, bound);
    expect((await toolsOf(await registered(developer, pets))).owners_only).toEqual(["feed"]);
  });

  test("rules of tools that a developer set end with the integration", async () => {
    await removed(developer, await registered(developer, ruled));
    expect((await toolsOf(await registered(developer, pets))).owners_only).toEqual([]);
  });
});
