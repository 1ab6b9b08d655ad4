// Public names that a test or reader gives addresses and a server on this machine: functions resolve them to these addresses, and
// functions and AgentCore reach them there. The edge passes their requests on.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import * as z from "zod";
import { endToEnd } from "./lambda/event.ts";

const address = z.string().refine((text) => isIP(text) !== 0, "must be an IP address");

const schema = z.record(
  z.string().regex(/^[a-z0-9.-]+$/),
  z.strictObject({
    /** All addresses of the name; a list of lists for a name that changes: each look-up takes the next, and the last one stays. */
    addresses: z.union([z.array(address).min(1), z.array(z.array(address).min(1)).min(1)]),
    /** Where requests go, whatever the address, e.g. `http://127.0.0.1:9999`. */
    server: z.url({ protocol: /^http$/ }),
  }),
);

type Registered = { addresses: string[][]; server: URL };

type HostsOptions = {
  /** The edge, which serves AWS's names of the stack's own resources. */
  edgePort: () => number;
  /** AWS's endpoint, for the names of its data plane. */
  awsUrl: () => string;
  /** The names that the edge serves. */
  isOnEdge: (name: string) => boolean;
};

/** Where agent runtimes are invoked. */
const dataPlane = /^bedrock-agentcore\.[a-z0-9-]+\.amazonaws\.com$/;

export class Hosts {
  readonly #options: HostsOptions;
  #registered = new Map<string, Registered>();

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Replaces all names. @throws Error that names every wrong field. */
  put(input: unknown): void {
    const parsed = schema.safeParse(input);
    if (!parsed.success) {
      throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
    }
    const entries = Object.entries(parsed.data).map(([name, { addresses, server }]) => {
      const lists = addresses.map((one) => [one].flat());
      const isList = addresses.every((one) => typeof one === "string");
      return [name, { addresses: isList ? [lists.flat()] : lists, server: new URL(server) }] as const;
    });
    this.#registered = new Map(entries);
  }

  list() {
    return Object.fromEntries(
      [...this.#registered].map(([name, { addresses, server }]) => [name, { addresses, server: server.origin }]),
    );
  }

  /** Resolves a name: an unknown one has no addresses. */
  lookUp(name: string): string[] {
    const found = this.#registered.get(name.toLowerCase());
    if (!found) return [];
    const [next = []] = found.addresses;
    if (found.addresses.length > 1) found.addresses.shift();
    return next;
  }

  matches(host: string): boolean {
    return this.#registered.has(host);
  }

  /** Passes a request for a registered name on to its server, and the answer back as it comes. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = request.headers.host ?? "";
    const server = this.#registered.get(host)?.server;
    if (!server) throw new Error(`${host} is not registered.`);
    const { hostname, port } = server;
    const { method, url: path, headers } = request;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const onward = http.request({ hostname, port, method, path, headers: { ...endToEnd(headers), host } }, resolve);
    onward.once("error", reject);
    // When the reader leaves, the connection to the server is closed, too.
    response.once("close", () => onward.destroy());
    try {
      // The request and its answer both fail where nobody listens at the server, and a failure that nobody awaits would end the whole stack.
      const [answer] = await Promise.all([promise, pipeline(request, onward)]);
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      await pipeline(answer, response);
    } catch {
      response.destroy();
    }
  }

  #serverOf(name: string): URL | undefined {
    const { edgePort, awsUrl, isOnEdge } = this.#options;
    if (isOnEdge(name)) return new URL(`http://127.0.0.1:${edgePort()}`);
    return dataPlane.test(name) ? new URL(awsUrl()) : this.#registered.get(name)?.server;
  }

  /** `fetch` for AgentCore: a registered name is asked at its server, an own one at the edge, and any other where it really is. */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const given = new Request(input, init);
    const url = new URL(given.url);
    const server = this.#serverOf(url.hostname);
    if (!server) return fetch(given);
    const body = given.body === null ? undefined : Buffer.from(await given.arrayBuffer());
    const headers = { ...Object.fromEntries(given.headers), host: url.hostname };
    return ask(server, `${url.pathname}${url.search}`, { method: given.method, headers, body, signal: given.signal });
  };
}

type Asked = { method: string; headers: Record<string, string>; body: Buffer | undefined; signal: AbortSignal };

/** Statuses whose answer has no body, for which `Response` takes none. */
const bodiless = [204, 205, 304];

/** `fetch` would not send the name of another host. */
async function ask(server: URL, path: string, { method, headers, body, signal }: Asked): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { hostname, port } = server;
  const length = body && { "content-length": String(body.length) };
  http
    .request({ hostname, port, path, method, headers: { ...headers, ...length }, signal }, resolve)
    .once("error", reject)
    .end(body);
  const answer = await promise;
  const status = answer.statusCode ?? 502;
  const given = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  if (bodiless.includes(status)) answer.resume();
  const content = bodiless.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(content as never, { status, headers: given });
}
