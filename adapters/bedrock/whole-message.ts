// A whole message put together from the events of a stream: the JSON that the model host gives for the same answer in one piece. What is
// received of a long answer is known while it comes, so that it is billed if nobody hears its end (docs/decisions/0092-whole-answers.md).
import { record } from "../../domain/kernel/json.ts";
import { parseExactly } from "../../domain/messages/exact-json.ts";
import {
  type HostEvent,
  ModelHostError,
  type ModelHostFailure,
  type Observe,
} from "../../domain/messages/model-host.ts";
import { rejection } from "./failures.ts";
import { metricsMember } from "./invocation-metrics.ts";

/**
 * Reads a stream to its end. Where it fails, what still comes is read for its usage, and the first failure is thrown in the end.
 * @returns the message as JSON
 * @throws ModelHostError for an `error` event, a stream that breaks off, and events that make no message
 */
export async function wholeMessage(stream: AsyncIterable<readonly HostEvent[]>, observe: Observe): Promise<string> {
  const message = new MessageParts();
  let failure: { error: unknown } | undefined;
  try {
    for await (const events of stream) {
      for (const { json, counts } of events) {
        try {
          const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8");
          const event: unknown = JSON.parse(text);
          observe(event, counts);
          if (!failure) message.add(record(event), text);
        } catch (error) {
          failure ??= { error };
        }
      }
    }
  } catch (error) {
    // A failure after a whole message changes nothing.
    if (!message.isWhole) failure ??= { error };
  }
  if (!failure && !message.isWhole) failure = { error: broken("The model host's stream ended early") };
  if (!failure) return message.json();
  throw failure.error instanceof SyntaxError ? broken("The model host sent what is not JSON") : failure.error;
}

/**
 * Reads an answer that came in one piece.
 * @param text the message as JSON, which is returned
 * @throws ModelHostError
 */
export function observedMessage(text: string, observe: Observe): string {
  try {
    observe(JSON.parse(text));
    return text;
  } catch (error) {
    throw new ModelHostError("broken", "The model host's answer is not JSON", { cause: error, outcomeUnknown: true });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Names and values in the order in which they came. No name can be mistaken for an object's own. */
type Members = Map<string, unknown>;

type Block = {
  members: Members;
  /** The JSON of a tool's input, which stays a text: its numbers leave as the model wrote them. */
  input: string;
};

class MessageParts {
  #message: Members | undefined;
  readonly #blocks = new Map<number, Block>();
  #isWhole = false;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @param text the JSON of the event */
  add(event: Fields, text: string): void {
    const { type, index } = event;
    if (this.#isWhole || type === "ping" || type === "content_block_stop") return;
    if (type === "error") throw hostError(event.error);
    if (type === "message_start") this.#start(text);
    else if (!this.#message) throw broken("The model host's stream does not begin with a message");
    else if (type === "content_block_start") this.#startBlock(Number(index), exactly(text).content_block);
    else if (type === "content_block_delta") this.#continue(Number(index), record(event.delta), text);
    else if (type === "message_delta" || type === "message_stop") this.#learn(this.#message, text);
    else takeUp(this.#message, exactly(text));
    this.#isWhole = type === "message_stop";
  }

  json(): string {
    const message = this.#message ?? new Map();
    const blocks = [...this.#blocks].sort(([one], [other]) => one - other).map(([, block]) => block);
    const content = `[${blocks.map((block) => blockJson(block, message.get("stop_reason"))).join()}]`;
    return json(message.set("content", undefined), (name) => (name === "content" ? content : undefined));
  }

  #start(text: string): void {
    if (this.#message) throw broken("The model host's stream has two messages");
    this.#message = membersOf(exactly(text).message);
  }

  #startBlock(index: number, block: unknown): void {
    this.#blocks.set(index, { members: membersOf(block), input: "" });
    const { type, to } = record(block);
    // A refused message was answered by another model, which a whole message names (SDK 1.11.0, BetaMessageStream).
    if (type === "fallback" && record(to).model !== undefined) this.#message?.set("model", record(to).model);
  }

  #continue(index: number, delta: Fields, text: string): void {
    const block = this.#blocks.get(index);
    if (!block) throw broken("The model host's stream goes on with a block that it has not begun");
    const { members } = block;
    switch (delta.type) {
      case "text_delta":
        append(members, "text", delta.text);
        break;
      case "thinking_delta":
        // Its `estimated_tokens` are for a display of the progress.
        append(members, "thinking", delta.thinking);
        break;
      case "input_json_delta":
        block.input += String(delta.partial_json ?? "");
        break;
      case "citations_delta":
        append(members, "citations", [record(exactly(text).delta).citation]);
        break;
      case "signature_delta":
      case "compaction_delta":
        replace(members, record(exactly(text).delta));
        break;
      default:
        // A delta that this version does not know: texts and lists go on, all else takes the place of what was there.
        for (const [name, value] of Object.entries(record(exactly(text).delta))) {
          if (name !== "type") append(members, name, value);
        }
    }
  }

  /** Adds what the host says of the message. Counts are totals, so that the last ones are right. */
  #learn(message: Members, text: string): void {
    const { type: _type, delta, usage, [metricsMember]: _metrics, ...others } = exactly(text);
    replace(message, { ...others, ...record(delta) });
    if (usage !== undefined && usage !== null) message.set("usage", merged(message.get("usage"), usage));
  }
}

function exactly(text: string): Fields {
  return record(parseExactly(text));
}

function membersOf(value: unknown): Members {
  return new Map(Object.entries(record(value)));
}

/** Goes on with a text or a list; any other value takes the place of what was there. */
function append(members: Members, name: string, value: unknown): void {
  const before = members.get(name);
  if (typeof value === "string" && typeof before === "string") members.set(name, before + value);
  else if (Array.isArray(value) && Array.isArray(before)) members.set(name, [...before, ...value]);
  else members.set(name, value);
}

/** The type stays what it is, and null takes nothing away. */
function replace(members: Members, values: Fields): void {
  for (const [name, value] of Object.entries(values)) {
    if (name !== "type" && (value !== null || members.get(name) === undefined)) members.set(name, value);
  }
}

/** Takes from an event that this version does not know what the message has no place for yet. */
function takeUp(message: Members, event: Fields): void {
  for (const [name, value] of Object.entries(event)) if (!message.has(name)) message.set(name, value);
}

/** Objects are merged member by member, and null takes nothing away. */
function merged(before: unknown, after: unknown): unknown {
  if (after === null) return before ?? null;
  if (!isObject(before) || !isObject(after)) return after;
  const members = membersOf(before);
  for (const [name, value] of Object.entries(after)) members.set(name, merged(members.get(name), value));
  return Object.fromEntries(members);
}

/** A number that is kept as it was written is an object, too, but not a plain one. */
function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * An input that was cut leaves the input with which the block began, an empty object, as InvokeModel answers.
 * @throws ModelHostError for a tool call that is said to be whole and is no JSON
 */
function blockJson({ members, input }: Block, stopReason: unknown): string {
  if (input === "") return json(members);
  if (isJson(input)) return json(members.set("input", undefined), (name) => (name === "input" ? input : undefined));
  if (stopReason === "tool_use") throw broken("The model host sent the input of a tool call that is not JSON");
  return json(members);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @param written gives the JSON of a member that is not written from its value */
function json(members: Members, written: (name: string) => string | undefined = () => undefined): string {
  const each = [...members].map(([name, value]) => `${JSON.stringify(name)}:${written(name) ?? JSON.stringify(value)}`);
  return `{${each.join()}}`;
}

/** The failures by the types of the Messages API's errors (platform.claude.com, "Errors"). */
const failures: Readonly<Record<string, ModelHostFailure>> = {
  invalid_request_error: "rejected",
  request_too_large: "rejected",
  authentication_error: "denied",
  permission_error: "denied",
  billing_error: "denied",
  rate_limit_error: "throttled",
  overloaded_error: "unavailable",
  timeout_error: "timeout",
};

/** The failure that an `error` event tells. The host has stopped. */
function hostError(error: unknown): ModelHostError {
  const { type, message } = record(error);
  const failure = failures[String(type)] ?? "broken";
  if (failure === "rejected") return rejection(String(message));
  return new ModelHostError(failure, "The model host failed in mid-stream");
}

function broken(message: string): ModelHostError {
  return new ModelHostError("broken", message, { outcomeUnknown: true });
}
