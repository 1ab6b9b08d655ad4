// `/_local` on the edge's port: shows a running stack to tests and readers, and lets them change it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../../emulators/request-body.ts";
import { describe } from "../describe.ts";
import { report } from "../permission-report.ts";
import type { Stack } from "../running-stack.ts";

type Handle = (stack: Stack, input: { query: URLSearchParams; body: unknown; name: string }) => unknown;

const hosts = ["127.0.0.1", "localhost", "[::1]"];
const maxBodyBytes = 1024 * 1024;

/** `:name` stands for one segment of the path. */
const routes: Record<string, Handle> = {
  "GET /_local": () => ({ routes: Object.keys(routes) }),
  "GET /_local/stack": (stack) => describe(stack),
  "GET /_local/calls": ({ calls }, { query }) => calls.since(Number(query.get("since") ?? 0)),
  "DELETE /_local/calls": ({ calls }) => calls.clear(),
  "GET /_local/faults": ({ faults }) => faults.list(),
  "PUT /_local/faults": ({ faults }, { body }) => {
    faults.put(body);
    return faults.list();
  },
  "DELETE /_local/faults": ({ faults }) => faults.clear(),
  "GET /_local/clock": ({ clock }) => ({ now: new Date(clock.now()).toISOString() }),
  "POST /_local/clock": async ({ clock, dynamodb }, { body }) => {
    const { advance_seconds } = (body ?? {}) as { advance_seconds?: unknown };
    if (typeof advance_seconds !== "number" || !(advance_seconds >= 0)) {
      throw new Error("advance_seconds: must be a number of seconds from 0");
    }
    clock.advance(advance_seconds * 1000);
    await dynamodb.sweep();
    return { now: new Date(clock.now()).toISOString() };
  },
  "GET /_local/schedules": ({ schedules }) => schedules.names,
  "POST /_local/schedules/:name/run": ({ schedules }, { name }) => schedules.run(name),
  /** The alarms of the program, those that would ring first. */
  "GET /_local/alarms": ({ alarms }) => alarms.all().toSorted((one, other) => one.state.localeCompare(other.state)),
  "GET /_local/queues": ({ queues }) =>
    queues.all.map((queue) => ({ name: queue.settings.name, ...queue.counts(), messages: queue.messages() })),
  "POST /_local/queues/:name/replay": ({ queues }, { name }) => ({
    replayed: queues.replay(name),
  }),
  "GET /_local/mail": ({ mailbox }, { query }) => mailbox.mails(query.get("to") ?? undefined),
  "GET /_local/stripe/settings": ({ stripe }) => stripe.settings,
  "PUT /_local/stripe/settings": ({ stripe }, { body }) => stripe.configure(body),
  "GET /_local/stripe/deliveries": ({ stripe }) => stripe.deliveries,
  /** Everything that AgentCore has: gateways with their targets, credential providers, runtimes. */
  "GET /_local/agentcore": ({ agentcore }) => agentcore.list(),
  "PUT /_local/agentcore/settings": ({ agentcore }, { body }) => agentcore.configure(body),
  "GET /_local/s3": ({ s3 }) => s3.list(),
  /** Public names that resolve to the given addresses and are served from this machine: `{ name: { addresses, server } }`. */
  "GET /_local/hosts": ({ hosts }) => hosts.list(),
  "PUT /_local/hosts": ({ hosts }, { body }) => {
    hosts.put(body);
    return hosts.list();
  },
  /** Looks a name up as a function does. */
  "GET /_local/hosts/:name": ({ hosts }, { name }) => ({ addresses: hosts.lookUp(name) }),
  "GET /_local/logs": ({ logs }, { query }) => logs.lines(query.get("function") ?? undefined),
  "GET /_local/functions": ({ functions }) =>
    functions.all.map(({ settings, instances }) => ({ name: settings.name, instances })),
  "POST /_local/functions/:name/kill": ({ functions }, { name }) => functions.byName(name).kill(),
  "GET /_local/permissions": ({ iam, calls }) => report(iam, calls.uses()),
  "GET /_local/bedrock/requests": ({ bedrock }) => bedrock.requests(),
  "PUT /_local/bedrock/settings": ({ bedrock }, { body }) => bedrock.configure(body as object),
  "PUT /_local/bedrock/models": ({ bedrock }, { body }) => bedrock.models.offer(body as never),
  "PUT /_local/price-list": ({ priceList }, { body }) => priceList.put(body as never),
  "POST /_local/bedrock/faults": ({ bedrock }, { body }) => bedrock.fail(body as never),
  "POST /_local/bedrock/resume": ({ bedrock }) => bedrock.resume(),
  "POST /_local/bedrock/clear": ({ bedrock }) => bedrock.clear(),
};

export class LocalInterface {
  #stack: Stack | undefined;

  matches(host: string): boolean {
    return hosts.includes(host);
  }

  /** Lets the stack be asked from now on. */
  open(stack: Stack): void {
    this.#stack = stack;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (isForeign(request)) {
      return answer(response, 403, { message: "Pages of other origins may not use the local interface." });
    }
    const found = find(request.method ?? "GET", url.pathname);
    if (!found) {
      return answer(response, 404, { message: `There is no ${request.method} ${url.pathname} here. See GET /_local.` });
    }
    if (!this.#stack) return answer(response, 503, { message: "The local stack is starting." });
    try {
      const body = await readJson(request);
      const result = await found.handle(this.#stack, { query: url.searchParams, body, name: found.name });
      answer(response, 200, result ?? {});
    } catch (error) {
      answer(response, 400, { message: (error as Error).message });
    }
  }
}

/**
 * Whether a page of another origin asks. A browser sends it some requests without asking first, and names the page's origin with each that could
 * change something (fetch.spec.whatwg.org, "Origin header"). A page that leads its own name here (DNS rebinding) is at none of `hosts`.
 */
function isForeign({ headers: { origin }, socket }: IncomingMessage): boolean {
  return origin !== undefined && !hosts.some((host) => origin === `http://${host}:${socket.localPort}`);
}

function find(method: string, path: string): { handle: Handle; name: string } | undefined {
  for (const [route, handle] of Object.entries(routes)) {
    const pattern = new RegExp(`^${route.replace(":name", "([^/]+)")}$`);
    const match = pattern.exec(`${method} ${path.replace(/(.)\/$/, "$1")}`);
    if (match) return { handle, name: decodeURIComponent(match[1] ?? "") };
  }
  return undefined;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) throw new Error(`The body is larger than ${maxBodyBytes} bytes.`);
  return body.length === 0 ? undefined : JSON.parse(body.toString());
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}
