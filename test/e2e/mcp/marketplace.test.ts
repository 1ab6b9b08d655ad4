// The marketplace through the whole stack: each provider is registered with its credential, called by a member, given another credential,
// and removed. The providers' own addresses lead to a server of the test, which knows their credentials.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { providers } from "../../../domain/marketplace/providers.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { startProviderApis } from "../../support/mcp/provider-apis.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { few } from "../../support/sizes.ts";

const path = "/v1/mcp-servers";

let stack: Stack;
let apis: Awaited<ReturnType<typeof startProviderApis>>;
let owner: Person;
let member: Person;
let gateway: { endpoint: string; public_client_id: string };
let token: string;

beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:mcpQuotas": '{"runtimes":1}' } });
  stack.agentcore.configure({ gatewayMs: 0, targetMs: 0, runtimeMs: 0, lingerMs: 0 });
  [owner, member] = await Promise.all([signUp(stack, "owner@pets.example"), signUp(stack, "member@pets.example")]);
  const { tenant_id } = await openWorkspace(stack, owner, "Pets");
  await addMember(stack, tenant_id, member);
  gateway = (await call("POST", "/v1/mcp-gateway", undefined, owner)).body;
  apis = await startProviderApis(stack);
  apis.good.add("first-secret");
  await stack.queuePoller.idle();
  token = await connectorToken(gateway, member);
});
afterAll(async () => {
  apis.close();
  await stack.stop();
});

async function call(method: string, at: string, body?: unknown, person = member) {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}`, "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(stack.at("api") + at, init);
  const answer = await response.text();
  return { status: response.status, body: answer === "" ? undefined : JSON.parse(answer) };
}

async function registered(body: object): Promise<string> {
  const { status, body: answer } = await call("POST", path, body);
  expect([status, answer.error?.message]).toEqual([202, undefined]);
  await stack.queuePoller.idle();
  const { body: shown } = await call("GET", `${path}/${answer.server_id}`);
  expect([shown.state, shown.reason]).toEqual(["ready", undefined]);
  return answer.server_id;
}

async function called(name: string, given: object): Promise<{ text: string; isError?: boolean }> {
  const { message } = await ask(gateway.endpoint, token, "tools/call", { name, arguments: given });
  const { content, isError } = message.result;
  return { text: content.map((part: { text: string }) => part.text).join(), ...(isError && { isError }) };
}

async function listed(as = token): Promise<string[]> {
  const { message } = await ask(gateway.endpoint, as, "tools/list");
  return message.result.tools.map(({ name }: { name: string }) => name);
}

/** The first is described by a document, the second runs in a runtime; the others are each like one of them. */
const everyCall = [
  ["github", "get_issue", { owner: "octo", repo: "pets", issue_number: 7 }, "Feed the cat"],
  ["tavily", "tavily_search", { query: "cats" }, "Cats purr."],
  ["gitlab", "get_project", { id: "octo/pets" }, "GitLab pets"],
  ["openweather", "current_weather", { q: "Lisbon,PT" }, "Lisbon"],
  ["brave-search", "brave_web_search", { query: "cats" }, "Brave purrs."],
  ["notion", "API-get-self", {}, "Notion bot"],
] as const;
const calls = few(2, everyCall);

test("each provider of the marketplace has a tool call in this test, which `npm run test:long` makes", () => {
  const ids = providers.map(({ provider_id }) => provider_id);
  expect(everyCall.map(([id]) => id as string).sort()).toEqual(ids.sort());
});

describe("each provider", () => {
  let ids: Record<string, string>;
  const answers = () => Promise.all(calls.map(([id, tool, given]) => called(`${id}___${tool}`, given)));
  const expected = calls.map(([, , , words]) => ({ text: expect.stringContaining(words) }));
  const forAll = async (method: string, body?: object) => {
    // One run at a time works on a gateway.
    for (const id of Object.values(ids)) {
      expect((await call(method, `${path}/${id}`, body)).status).toBe(202);
      await stack.queuePoller.idle();
    }
  };

  beforeAll(async () => {
    ids = {};
    for (const [id] of calls) ids[id] = await registered({ provider_id: id, secret: "first-secret" });
  });

  test("each provider of the marketplace has the tools that the catalog names, and no others", async () => {
    const { body } = await call("GET", "/v1/mcp-providers");
    type Shown = { provider_id: string; tools: { name: string }[] };
    const made = body.data.filter(({ provider_id }: Shown) => provider_id in ids);
    const names = made.flatMap(({ provider_id, tools }: Shown) => tools.map(({ name }) => `${provider_id}___${name}`));
    expect((await listed()).sort()).toEqual(names.sort());
  });

  test("each provider of the marketplace is called by a member, with the workspace's credential", async () =>
    expect(await answers()).toEqual(expected));

  test.each(calls.map(([id, tool]) => [id, tool] as const))(
    "the provider %s is verified, and a credential that its API refuses is refused",
    async (provider, tool) => {
      const { body } = await call("POST", `${path}/${ids[provider]}/verify`);
      expect(body).toMatchObject({ verified: true, changed: { added: [], removed: [], altered: [] } });
      expect(body.tools).toContain(tool);
      const bad = await call("PUT", `${path}/${ids[provider]}`, { secret: "wrong" });
      expect([bad.status, bad.body.error.message]).toEqual([
        400,
        expect.stringMatching(/^secret: .*credential_refused/),
      ]);
    },
  );

  test("each provider of the marketplace accepts a new credential", async () => {
    apis.good.add("second-secret");
    await forAll("PUT", { secret: "second-secret" });
    apis.good.delete("first-secret");
    expect(await answers()).toEqual(expected);
    apis.good.add("first-secret");
  });

  test("each provider of the marketplace leaves nothing behind when it is removed", async () => {
    await forAll("DELETE");
    expect((await call("GET", path)).body.data).toEqual([]);
    expect(await listed()).toEqual([]);
    const { agentRuntimes, apiKeyCredentialProviders } = stack.agentcore.list();
    expect([agentRuntimes, apiKeyCredentialProviders]).toEqual([[], []]);
  });
});

describe("an integration of the marketplace", () => {
  let serverId: string;
  const search = () => called("web___tavily_search", { query: "cats" });
  const lastSearch = () => apis.asked.filter(({ at }) => at === "POST api.tavily.com/search").at(-1)?.body ?? "";
  const runtimes = () => stack.agentcore.list().agentRuntimes;
  const secrets = () => {
    const arns = stack.secretsManager.secrets.all().map(({ arn }) => arn);
    return arns.filter((arn) => arn.includes("/server/"));
  };
  const remains = () => [runtimes(), stack.agentcore.list().apiKeyCredentialProviders].map(({ length }) => length);

  beforeAll(async () => {
    apis.good.add("web-secret");
    const entry = { name: "DEFAULT_PARAMETERS", value: '{"search_depth":"advanced"}' };
    const body = { provider_id: "tavily", name: "web", secret: "web-secret", extra_env_entries: [entry] };
    serverId = await registered(body);
  });

  test("an integration from the marketplace has its own name, and only the names of its settings are shown", async () => {
    const { body } = await call("GET", `${path}/${serverId}`);
    expect(body).toMatchObject({ name: "web", provider_id: "tavily", target_mode: "runtime" });
    expect(body.extra_env_names).toEqual(["DEFAULT_PARAMETERS"]);
    expect((await search()).text).toContain("Cats purr.");
    expect(lastSearch()).toContain('"search_depth":"advanced"');
  });

  test("an integration from the marketplace runs in a runtime of its own, whose role has no rights", () => {
    const [runtime, ...others] = runtimes();
    expect(others).toEqual([]);
    const role = String(runtime?.roleArn).split("/").at(-1) ?? "";
    expect(runtime?.tags).toMatchObject({ tenant_id: expect.any(String) });
    const policies = stack.program.resources
      .ofType("aws:iam/rolePolicy:RolePolicy")
      .filter(({ inputs }) => inputs.role === role);
    expect(policies).toEqual([]);
  });

  test("an integration from the marketplace gets a new runtime version with each credential, and keeps settings that are not sent again", async () => {
    apis.good.add("newer-secret");
    const before = runtimes()[0];
    expect((await call("PUT", `${path}/${serverId}`, { secret: "newer-secret" })).status).toBe(202);
    await stack.queuePoller.idle();
    apis.good.delete("web-secret");
    expect(Number(runtimes()[0]?.agentRuntimeVersion)).toBe(Number(before?.agentRuntimeVersion) + 1);
    expect(runtimes()[0]?.agentRuntimeId).toBe(before?.agentRuntimeId);
    expect((await search()).text).toContain("Cats purr.");
    expect(lastSearch()).toContain('"search_depth":"advanced"');
    const none = { extra_env_entries: [] };
    expect((await call("PUT", `${path}/${serverId}`, none)).body.extra_env_names).toEqual([]);
    await stack.queuePoller.idle();
    expect((await search()).text).toContain("Cats purr.");
    expect(lastSearch()).not.toContain("advanced");
  });

  test("an integration from the marketplace can offer only some tools, and some only to owners, in lists and calls", async () => {
    const tools = { offered: ["tavily_search", "tavily_map"], owners_only: ["tavily_map"] };
    const { status, body } = await call("PUT", `${path}/${serverId}`, { tools });
    expect([status, body.state, body.tools]).toEqual([202, "ready", expect.objectContaining(tools)]);
    await stack.queuePoller.idle();
    // An answer about somebody counts for a minute at the most.
    stack.clock.advance(60_000);
    const ownersToken = await connectorToken(gateway, owner);
    token = await connectorToken(gateway, member);
    expect(await listed()).toEqual(["web___tavily_search"]);
    expect((await listed(ownersToken)).sort()).toEqual(["web___tavily_map", "web___tavily_search"]);
    expect(await called("web___tavily_map", { url: "https://cats.example" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("Only owners"),
    });
    expect(await called("web___tavily_crawl", { url: "https://cats.example" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("does not offer"),
    });
    expect((await search()).text).toContain("Cats purr.");
    const { body: logs } = await call("GET", `${path}/${serverId}/logs?outcome=refused`);
    expect(logs.data.map(({ tool }: { tool: string }) => tool).sort()).toEqual(["tavily_crawl", "tavily_map"]);
  });

  test("an integration from the marketplace shows its credential in no answer, no log line and no recorded call", async () => {
    const shown = [(await call("GET", path)).body, stack.calls.all(), stack.logs.lines()];
    expect(JSON.stringify(shown)).not.toMatch(/web-secret|newer-secret/);
  });

  test("an integration from the marketplace counts towards the account's quotas, and an alarm rings from 80 % on", async () => {
    await stack.schedules.run("agentcore");
    const ringing = stack.alarms.ringing().filter((name) => name.startsWith("mcp-quota"));
    expect(ringing).toEqual(["mcp-quota-runtimes"]);
  });

  test("an integration from the marketplace cannot be created if the account is full, and leaves nothing behind", async () => {
    const before = remains();
    stack.agentcore.configure({ quotas: { agentRuntimes: before[0], apiKeyCredentialProviders: before[1] } });
    for (const provider_id of ["notion", "github"]) {
      const { status, body } = await call("POST", path, { provider_id, secret: "first-secret" });
      expect([status, body.error.message]).toEqual([409, expect.stringContaining("no room")]);
    }
    await stack.queuePoller.idle();
    expect(remains()).toEqual(before);
    expect((await call("GET", path)).body.data.map(({ name }: { name: string }) => name)).toEqual(["web"]);
    expect(secrets()).toEqual([expect.stringContaining(`/server/${serverId}/`)]);
    stack.agentcore.configure({ quotas: { agentRuntimes: 1_000, apiKeyCredentialProviders: 50 } });
  });

  test("an integration from the marketplace keeps its credential if the account has no room for another one", async () => {
    const id = await registered({ provider_id: "github", secret: "first-secret" });
    apis.good.add("third-secret");
    stack.agentcore.configure({ quotas: { apiKeyCredentialProviders: 1 } });
    const { status } = await call("PUT", `${path}/${id}`, { secret: "third-secret" });
    expect(status).toBe(409);
    await stack.queuePoller.idle();
    apis.good.delete("third-secret");
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ state: "ready" });
    expect((await called("github___get_issue", { owner: "octo", repo: "pets", issue_number: 7 })).text).toContain(
      "cat",
    );
    expect(stack.agentcore.list().apiKeyCredentialProviders).toHaveLength(1);
    stack.agentcore.configure({ quotas: { apiKeyCredentialProviders: 50 } });
  });

  test("an integration from the marketplace is removed with its gateway", async () => {
    expect((await call("DELETE", "/v1/mcp-gateway", undefined, owner)).status).toBe(202);
    await stack.queuePoller.idle();
    expect(remains()).toEqual([0, 0]);
    expect(secrets()).toEqual([]);
    const refused = await call("POST", path, { provider_id: "tavily", secret: "newer-secret" });
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("no MCP gateway")]);
  });
});
