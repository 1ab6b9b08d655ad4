// The bare model host: the same constant message in Bedrock's wire protocol, and as the Messages API gives it. Also answers
// AssumeRole, with a constant.
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { chunkFrame } from "../frame.ts";
import { events, pacedEvents, promptEnd, serverSentEvent, streamedBody, wholeBody } from "../message.ts";
import { answer, readBody, serve } from "./child.ts";

type Form = { contentType: string; events: Buffer[]; encode: (json: string) => Buffer | string };

const eventStream: Form = {
  contentType: "application/vnd.amazon.eventstream",
  events: events.map(chunkFrame),
  encode: chunkFrame,
};
const serverSentEvents: Form = {
  contentType: "text/event-stream; charset=utf-8",
  events: events.map((event) => Buffer.from(serverSentEvent(event))),
  encode: serverSentEvent,
};
if (Buffer.concat(serverSentEvents.events).toString() !== streamedBody) throw new Error("the constants disagree");
const whole = Buffer.from(wholeBody);

const session = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIABENCH00000000000</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

/** Milliseconds between two events; 0 sends them all at once. */
let pace = 0;
answer<number, void>("pace", (milliseconds) => {
  pace = milliseconds;
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const url = request.url ?? "";
  if (url === "/" && body.includes("Action=AssumeRole")) return send(response, 200, "text/xml", session);
  if (!body.includes(promptEnd)) return refuse(response, "the prompt did not arrive as a whole");
  if (url.startsWith("/model/")) {
    const signed = request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ");
    if (!signed || !body.includes('"anthropic_version"'))
      return refuse(response, "not signed, or not a body of Bedrock");
    if (url.endsWith("/invoke-with-response-stream")) return stream(response, eventStream);
    if (url.endsWith("/invoke")) return send(response, 200, "application/json", whole);
  }
  if (url === "/v1/messages") {
    if (body.includes('"stream":true')) return stream(response, serverSentEvents);
    return send(response, 200, "application/json", whole);
  }
  refuse(response, `nothing at ${url}`);
}

/** Each event is a chunk of its own. */
async function stream(response: ServerResponse, form: Form): Promise<void> {
  response.writeHead(200, { "content-type": form.contentType });
  if (pace > 0) await sendPaced(response, form, pace);
  else for (const event of form.events) response.write(event);
  response.end();
}

async function sendPaced(response: ServerResponse, { encode }: Form, milliseconds: number): Promise<void> {
  const begin = performance.now();
  for (const [index, event] of pacedEvents.entries()) {
    const wait = begin + index * milliseconds - performance.now();
    if (wait > 0) await sleep(wait);
    if (response.destroyed) return;
    response.write(encode(event()));
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}

function refuse(response: ServerResponse, message: string): void {
  send(response, 400, "application/json", JSON.stringify({ message: `The benchmark's model host: ${message}` }));
}

serve((request, response) => {
  handle(request, response).catch((error) => response.destroy(error));
});
