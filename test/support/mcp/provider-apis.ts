// A server on this machine in the place of the marketplace's providers: it knows their credentials, and a few answers.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Stack } from "../../../local/running-stack.ts";

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

/** A request that reached a provider. */
export type Asked = { at: string; body: string };

/** Gives the providers' names to the stack, beside those that it has. `good` are the credentials that they take, `asked` is what they were asked, without them. */
export async function startProviderApis(stack: Stack) {
  const good = new Set<string>();
  const asked: Asked[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = request.headers.host ?? "";
    const url = new URL(request.url ?? "/", `https://${host}`);
    const { credential, refusal = 401 } = upstreams[host] ?? {};
    const key = `${request.method} ${host}${url.pathname}`;
    asked.push({ at: key, body: await text(request) });
    response.setHeader("content-type", "application/json");
    if (!good.has(String(credential?.(request, url)))) return void response.writeHead(refusal).end("{}");
    response.end(JSON.stringify(answers[key] ?? {}));
  }

  const server = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const there = { addresses: ["93.184.215.14"], server: address };
  const names = Object.fromEntries(Object.keys(upstreams).map((host) => [host, there]));
  stack.hosts.put({ ...stack.hosts.list(), ...names });
  return {
    good,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function bearer({ headers }: IncomingMessage): string | undefined {
  return headers.authorization?.replace("Bearer ", "");
}
