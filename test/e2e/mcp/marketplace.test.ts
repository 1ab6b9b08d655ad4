// The marketplace through the whole stack: each provider is registered with its credential, called by a member, given another credential,
// and removed. The providers' own addresses lead to a server of the test, which knows their credentials.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

const path = "/v1/mcp-servers";

/** What the providers' servers answer, by host and path, and how a request proves itself there. */
const upstreams: Record<string, { credential: (request: IncomingMessage, url: URL) => unknown; refusal?: number }> = {
  "api.github.com": { credential: bearer },
  "gitlab.com": { credential: ({ headers }) => headers["private-token"] },
  "api.openweathermap.org": { credential: (_, url) => url.searchParams.get("appid") },
  "api.tavily.com": { credential: bearer },
  "api.search.brave.com": { credential: ({ headers }) => headers["x-subscription-token"], refusal: 422 },
  "api.notion.com": { credential: bearer },
};
const answers: Record<string, object> = {
  "GET api.github.com/repos/octo/pets/issues/7": { title: "Feed the cat" },
  "POST api.github.com/repos/octo/pets/issues": { number: 8 },
  "GET gitlab.com/api/v4/projects/octo%2Fpets": { name: "GitLab pets" },
  "GET api.openweathermap.org/data/2.5/weather": { name: "Lisbon" },
  "POST api.tavily.com/search": {
    query: "cats",
    results: [{ title: "About cats", url: "https://cats.example", content: "Cats purr." }],
  },
  "GET api.search.brave.com/res/v1/web/search": {
    type: "search",
    web: {
      type: "search",
      results: [{ title: "Brave cats", url: "https://cats.example", description: "Brave purrs." }],
    },
  },
  "GET api.notion.com/v1/users/me": { object: "user", name: "Notion bot" },
};

type Asked = { at: string; body: string };

let stack: Stack;
let upstream: Server;
let owner: Person;
let member: Person;
let gateway: { endpoint: string; public_client_id: string };
let token: string;
const good = new Set(["first-secret"]);
const asked: Asked[] = [];

function bearer({ headers }: IncomingMessage): string | undefined {
  return headers.authorization?.replace("Bearer ", "");
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = request.headers.host ?? "";
  const url = new URL(request.url ?? "/", `https://${host}`);
  const { credential, refusal = 401 } = upstreams[host] ?? {};
  asked.push({ at: `${request.method} ${host}${url.pathname}${url.search}`, body: await text(request) });
  response.setHeader("content-type", "application/json");
  if (!good.has(String(credential?.(request, url)))) return void response.writeHead(refusal).end("{}");
  response.end(JSON.stringify(answers[`${request.method} ${host}${url.pathname}`] ?? {}));
}

beforeAll(async () => {
  stack = await startSeeded();
  [owner, member] = await Promise.all([signUp(stack, "owner@pets.example"), signUp(stack, "member@pets.example")]);
  const { tenant_id } = await openWorkspace(stack, owner, "Pets");
  await addMember(stack, tenant_id, member);
  gateway = (await call("POST", "/v1/mcp-gateway", undefined, owner)).body;
  upstream = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");
  await new Promise((done) => upstream.once("listening", done));
  const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack.hosts.put(
    Object.fromEntries(Object.keys(upstreams).map((host) => [host, { addresses: ["93.184.215.14"], server }])),
  );
  await stack.queuePoller.idle();
  token = await connectorToken(gateway, member);
});
afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
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

describe.each([
  ["github", "get_issue", { owner: "octo", repo: "pets", issue_number: 7 }, "Feed the cat"],
  ["gitlab", "get_project", { id: "octo/pets" }, "GitLab pets"],
  ["openweather", "current_weather", { q: "Lisbon,PT" }, "Lisbon"],
  ["tavily", "tavily_search", { query: "cats" }, "Cats purr."],
  ["brave-search", "brave_web_search", { query: "cats" }, "Brave purrs."],
  ["notion", "API-get-self", {}, "Notion bot"],
] as const)("%s", (provider_id, tool, given, expected) => {
  let serverId: string;

  test("is registered with its credential alone, and its tools are those of the catalog", async () => {
    serverId = await registered({ provider_id, secret: "first-secret" });
    const { body } = await call("GET", "/v1/mcp-providers");
    const provider = body.data.find((one: { provider_id: string }) => one.provider_id === provider_id);
    const names = provider.tools.map(({ name }: { name: string }) => `${provider_id}___${name}`);
    expect((await listed()).filter((name) => name.startsWith(`${provider_id}___`)).sort()).toEqual(names.sort());
  });

  test("is called by a member, with the workspace's credential", async () => {
    const answer = await called(`${provider_id}___${tool}`, given);
    expect([answer.isError, answer.text]).toEqual([undefined, expect.stringContaining(expected)]);
  });

  test("is verified", async () => {
    const { body } = await call("POST", `${path}/${serverId}/verify`);
    expect(body).toMatchObject({ verified: true, changed: { added: [], removed: [], altered: [] } });
    expect(body.tools).toContain(tool);
  });

  test("refuses a credential that its API refuses, before anything changes, and takes a good one", async () => {
    const bad = await call("PUT", `${path}/${serverId}`, { secret: "wrong" });
    expect([bad.status, bad.body.error.message]).toEqual([400, expect.stringMatching(/^secret: .*credential_refused/)]);
    good.add("second-secret");
    expect((await call("PUT", `${path}/${serverId}`, { secret: "second-secret" })).status).toBe(202);
    await stack.queuePoller.idle();
    good.delete("first-secret");
    expect((await call("GET", `${path}/${serverId}`)).body).toMatchObject({ state: "ready", version: 2 });
    expect((await called(`${provider_id}___${tool}`, given)).text).toContain(expected);
    good.add("first-secret");
  });

  test("leaves nothing behind when it is removed", async () => {
    expect((await call("DELETE", `${path}/${serverId}`)).status).toBe(202);
    await stack.queuePoller.idle();
    expect((await call("GET", `${path}/${serverId}`)).status).toBe(404);
    expect(JSON.stringify(stack.agentcore.list())).not.toContain(serverId);
  });
});
