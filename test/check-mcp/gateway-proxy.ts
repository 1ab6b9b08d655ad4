// Stands before a gateway for a suite that knows neither tokens nor prefixes: adds the token, and `target___` to the names of tools and
// prompts on the way in, and takes it away on the way out. Everything else passes as it is.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

type Named = { name: string };
type Message = { method?: string; params?: { name?: string }; result?: { tools?: Named[]; prompts?: Named[] } };

/** The questions that name a tool or a prompt. */
const naming = ["tools/call", "prompts/get"];

/** @param token gives a good one for each request */
export function gatewayProxy(endpoint: string, target: string, token: () => string) {
  const prefix = `${target}___`;
  return createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(endpoint, {
      method: request.method ?? "GET",
      headers: { ...passedOn(request.headers, prefix), authorization: `Bearer ${token()}` },
      ...(body !== "" && { body: edited(body, (message) => withPrefix(message, prefix)) }),
    });
    const answered = edited(await answer.text(), (message) => withoutPrefix(message, prefix));
    const { "content-length": _length, "content-encoding": _encoding, ...headers } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, headers).end(answered);
  }).listen(0, "127.0.0.1");
}

/** The name stands in a header, too (2026-07-28). */
function passedOn({ host: _host, connection, "content-length": _, ...headers }: IncomingHttpHeaders, prefix: string) {
  const name = headers["mcp-name"];
  const named = naming.includes(String(headers["mcp-method"])) &&
    name !== undefined && { "mcp-name": `${prefix}${name}` };
  return { ...(headers as Record<string, string>), ...named };
}

function withPrefix(message: Message, prefix: string): Message {
  if (!naming.includes(message.method ?? "") || message.params?.name === undefined) return message;
  return { ...message, params: { ...message.params, name: `${prefix}${message.params.name}` } };
}

function withoutPrefix(message: Message, prefix: string): Message {
  const { result } = message;
  if (!result) return message;
  const plain = (all: Named[]) => all.map((one) => ({ ...one, name: one.name.replace(prefix, "") }));
  const { tools, prompts } = result;
  return {
    ...message,
    result: { ...result, ...(tools && { tools: plain(tools) }), ...(prompts && { prompts: plain(prompts) }) },
  };
}

/** A JSON message, or the messages of a stream. What is no JSON passes. */
function edited(body: string, edit: (message: Message) => Message): string {
  const of = (json: string) => {
    try {
      return JSON.stringify(edit(JSON.parse(json)));
    } catch {
      return json;
    }
  };
  return /^(event|data|id):/m.test(body)
    ? body.replaceAll(/^data: (.+)$/gm, (_, json: string) => `data: ${of(json)}`)
    : of(body);
}
