// A model that does what a script says, for assistants that are to use certain tools in a certain order: a server of the Messages API, and of the
// Responses API for an assistant that speaks nothing else.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { messageEvents, messageOf, type Turn } from "./messages-turn.ts";
import { responseEvents } from "./responses-turn.ts";

/** What the assistant has sent: the names of its tools, and the last tool's result. */
export type Heard = { tools: string[]; lastResult: string };
/** What the model does next. */
export type Step = (heard: Heard) => Turn | Promise<Turn>;

type Tool = { name?: string; tools?: Tool[] };
type Body = {
  model: string;
  stream?: boolean;
  tools?: Tool[];
  messages?: { content: unknown }[];
  input?: unknown[];
};

export class ScriptedModel {
  readonly #server: Server;
  #steps: Step[] = [];
  #count = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next conversation. */
  follow(steps: Step[]): void {
    this.#steps = [...steps];
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Whether every step of the script was taken. */
  get isOver(): boolean {
    return this.#steps.length === 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Body;
    if (request.url?.includes("count_tokens")) return answered(response, '{"input_tokens":10}');
    const turn = await this.#turn(body);
    this.#count += 1;
    const id = String(this.#count);
    if (request.url?.includes("/responses")) return streamed(response, responseEvents(turn, id));
    if (body.stream) return streamed(response, messageEvents(turn, id, body.model));
    return answered(response, JSON.stringify(messageOf(turn, id, body.model)));
  }

  /** An assistant's questions beside the conversation (titles, summaries) have no tools. */
  async #turn(body: Body): Promise<Turn> {
    const tools = (body.tools ?? []).flatMap((tool) => tool.tools ?? [tool]).map(({ name }) => name ?? "");
    if (tools.length < 2) return { says: "Skills" };
    const step = this.#steps.shift();
    if (!step) return { says: "The script is over." };
    const last = body.messages ? body.messages.at(-1)?.content : body.input?.at(-1);
    return step({ tools, lastResult: JSON.stringify(last ?? "") });
  }
}

function answered(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

function streamed(response: ServerResponse, events: { type: string }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
