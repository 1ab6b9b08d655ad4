// A model that does what a script says, for assistants that are to use certain tools in a certain order: a server of the Messages API.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

type Body = {
  model: string;
  stream?: boolean;
  messages: { role: string; content: unknown }[];
  tools?: { name: string }[];
};

/** What the model does in one turn: use a tool, or say something, which ends its turns. */
export type Turn = { tool: string; input: object } | { says: string };
/** Given all that the assistant has sent, so that a turn can follow from the results. */
export type Step = (body: Body) => Turn | Promise<Turn>;

export class ScriptedModel {
  readonly bodies: Body[] = [];
  readonly #steps: Step[];
  readonly #server: Server;
  #next = 0;

  private constructor(steps: Step[]) {
    this.#steps = steps;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error as Error));
    });
  }

  static async start(steps: Step[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(steps);
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Whether every step of the script was taken. */
  get isOver(): boolean {
    return this.#next >= this.#steps.length;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Body;
    if (request.url?.includes("count_tokens")) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens":10}');
      return;
    }
    const turn = await this.#turn(body);
    const content =
      "tool" in turn
        ? { type: "tool_use", id: `toolu_${this.#next}`, name: turn.tool, input: turn.input }
        : { type: "text", text: turn.says };
    const message = {
      id: `msg_${this.#next}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [content],
      stop_reason: "tool" in turn ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    };
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(message, content))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }

  /** An assistant's questions beside the conversation (titles, summaries) have no tools. */
  async #turn(body: Body): Promise<Turn> {
    if (!body.tools || body.tools.length < 2) return { says: "Skills" };
    this.bodies.push(body);
    const step = this.#steps[this.#next];
    if (!step) return { says: "The script is over." };
    this.#next += 1;
    return step(body);
  }
}

/** The text of the last result of a tool. */
export function lastResult({ messages }: Body): string {
  return JSON.stringify(messages.at(-1)?.content ?? "");
}

function eventsOf(
  message: { content: object[]; stop_reason: string; usage: object },
  content: { type: string; input?: object; text?: string },
) {
  const isTool = content.type === "tool_use";
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    {
      type: "content_block_start",
      index: 0,
      content_block: isTool ? { ...content, input: {} } : { type: "text", text: "" },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: isTool
        ? { type: "input_json_delta", partial_json: JSON.stringify(content.input) }
        : { type: "text_delta", text: content.text },
    },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ];
}
