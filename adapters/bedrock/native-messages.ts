// Bedrock's own Messages endpoint: the Messages API as its vendor has it, with the model in the body, and flags and version as headers.
//
// docs.aws.amazon.com/bedrock/latest/userguide, pages on the Messages API and on endpoints (2026-10). No account was recorded: the action that
// IAM asks for is taken to be InvokeModel's.
import { createHash } from "node:crypto";
import { record } from "../../domain/kernel/json.ts";
import { type HostEvent, type ModelCall, ModelHostError } from "../../domain/messages/model-host.ts";
import type { AwsAnswer } from "../aws.ts";
import { throwConnectionFailure } from "./failures.ts";
import { countsIn } from "./invocation-metrics.ts";
import { withFields } from "./invoke-body.ts";
import { messagesError } from "./messages-error.ts";

export const nativePath = "/anthropic/v1/messages";
/** The version for clients that send none: the endpoint requires the header. */
const defaultVersion = "2023-06-01";
/** The form of a value of the request metadata, which the endpoint makes of `metadata.user_id` (agentgateway issue 1739). */
const takenAsUser = /^[a-zA-Z0-9\s:_@$#=/+,\-.]{0,256}$/;

export function nativeHeaders({ betas, headers }: ModelCall): Record<string, string> {
  const { "anthropic-beta": _beta, ...others } = headers;
  return {
    "anthropic-version": defaultVersion,
    ...others,
    "content-type": "application/json",
    // The endpoint reads the header: in place of the client's own list it has the flags that the model is to know.
    ...(betas.length > 0 && { "anthropic-beta": betas.join(",") }),
  };
}

export function nativeBody({ modelId, body, metadata }: ModelCall, { stream }: { stream: boolean }): Buffer {
  return withFields(body, { model: modelId, stream: stream || undefined, metadata: takenMetadata(metadata) });
}

/** A user's id of another form, such as Claude Code's JSON, is sent as its hash: still the same for the same user. */
function takenMetadata(metadata: unknown): unknown {
  const { user_id: user } = record(metadata);
  if (typeof user !== "string" || takenAsUser.test(user)) return metadata;
  return { ...record(metadata), user_id: createHash("sha256").update(user).digest("hex") };
}

/** A message in one piece. @throws ModelHostError for an exception that came with status 200 */
export function requireMessage(text: string): string {
  if (/"type"\s*:\s*"message"/.test(text)) return text;
  throw messagesError(text, undefined);
}

/**
 * Gives the events in each piece that the connection brings.
 * @throws ModelHostError for an error inside the stream, a stream that breaks off, or an answer that is no stream
 */
export async function* nativeEventsOf(answer: AwsAnswer): AsyncGenerator<HostEvent[]> {
  let rest: Buffer = nothing;
  try {
    if (!String(answer.headers["content-type"]).startsWith("text/event-stream")) {
      throw messagesError(await answer.text(), undefined);
    }
    for await (const bytes of answer) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const events: HostEvent[] = [];
      let failure: ModelHostError | undefined;
      for (let end = endOfEvent(rest); end && !failure; end = endOfEvent(rest)) {
        const json = dataOf(rest.subarray(0, end.at));
        rest = rest.subarray(end.at + end.length);
        if (json === undefined) continue;
        if (json.indexOf(errorEvent) === 0) failure = messagesError(json.toString("utf8"), undefined);
        else events.push({ json, counts: json.indexOf(contentEvent) === 0 ? undefined : countsIn(json) });
      }
      // Events before an error are passed on first.
      if (events.length > 0) yield events;
      if (failure) throw failure;
    }
    if (rest.toString("utf8").trim() !== "") throw new Error("The model host's stream broke off inside an event");
  } catch (error) {
    if (error instanceof ModelHostError) throw error;
    throwConnectionFailure(error);
  }
}

const nothing = Buffer.alloc(0);
const contentEvent = Buffer.from('{"type":"content_bloc');
const errorEvent = Buffer.from('{"type":"error"');
const lineFeed = 0x0a;

/** An event ends with an empty line (HTML Standard, "Server-sent events"). */
function endOfEvent(bytes: Buffer): { at: number; length: number } | undefined {
  const at = bytes.indexOf("\n\n");
  const windows = bytes.indexOf("\r\n\r\n");
  if (windows >= 0 && (at < 0 || windows < at)) return { at: windows, length: 4 };
  return at < 0 ? undefined : { at, length: 2 };
}

/** The data of an event; undefined for a comment. JSON over several lines has a `data:` for each. */
function dataOf(event: Buffer): Buffer | undefined {
  const first = event.indexOf("data:");
  if (first < 0) return undefined;
  const begin = first + (event[first + 5] === 0x20 ? 6 : 5);
  const end = event.indexOf(lineFeed, begin);
  if ((first === 0 || event[first - 1] === lineFeed) && end < 0) return event.subarray(begin);
  const lines = event.toString("utf8").split(/\r?\n/);
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.replace(/^data: ?/, ""));
  return data.length === 0 ? undefined : Buffer.from(data.join("\n"));
}
