// A second way to models: an adapter of the port for a server that speaks the Messages API as its vendor does, and such a server.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type HostEvent, type ModelCall, type ModelHost, ModelHostError } from "../../../domain/messages/model-host.ts";

export function messagesHost(address: string): ModelHost {
  async function ask(call: ModelCall, operation: string, more: object, signal: AbortSignal): Promise<Response> {
    const { "anthropic-beta": _, ...headers } = call.headers;
    const flags = call.betas.length > 0 ? { "anthropic-beta": call.betas.join() } : {};
    const place = JSON.stringify({ model: call.modelId, ...more }).slice(0, -1);
    const response = await fetch(`${address}/v1/${operation}`, {
      method: "POST",
      headers: { "anthropic-version": "2023-06-01", ...headers, ...flags },
      body: `${place},${call.body.slice(1)}`,
      signal,
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: { message: string } };
    const field = /^([\w.]+): Extra inputs/.exec(error.message)?.[1];
    const named = field === undefined ? undefined : { fields: [field] };
    const refusedPart = error.message.includes("anthropic-beta") ? "flags" : named;
    throw new ModelHostError("rejected", error.message, { refusedPart });
  }

  return {
    stream: async (call, signal) => eventsOf(await ask(call, "messages", { stream: true }, signal)),
    async invoke(call, signal, observe) {
      const text = await (await ask(call, "messages", {}, signal)).text();
      observe(JSON.parse(text));
      return text;
    },
    async countTokens(call, signal) {
      const response = await ask(call, "messages/count_tokens", {}, signal);
      return ((await response.json()) as { input_tokens: number }).input_tokens;
    },
  };
}

/** The events of a text of server-sent events, as their lines arrive. */
async function* eventsOf({ body }: Response): AsyncGenerator<HostEvent[]> {
  let rest = "";
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice("data: ".length));
    if (data.length > 0) yield data.map((event) => ({ json: Buffer.from(event) }));
  }
}

export type Received = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };

/** Answers with the events or with the message, and keeps what it got. */
export class MessagesServer implements AsyncDisposable {
  readonly received: Received[] = [];
  /** The words with which a request is refused, if it is. */
  refusalOf: (request: Received) => string | undefined = () => undefined;
  readonly #server = createServer();

  static async start(events: readonly string[], message: string): Promise<MessagesServer> {
    const server = new MessagesServer(events, message);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  private constructor(events: readonly string[], message: string) {
    this.#server.on("request", async (incoming, outgoing) => {
      const body = (await json(incoming)) as Record<string, unknown>;
      const request = { path: incoming.url ?? "", headers: incoming.headers, body };
      this.received.push(request);
      const words = this.refusalOf(request);
      if (words !== undefined) {
        outgoing.writeHead(400);
        outgoing.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: words } }));
      } else if (request.path.endsWith("/count_tokens")) outgoing.end('{"input_tokens":7}');
      else if (!body.stream) outgoing.end(message);
      else {
        for (const event of events) outgoing.write(`event: ${JSON.parse(event).type}\ndata: ${event}\n\n`);
        outgoing.end();
      }
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
