// Usage: the tokens that one call cost, put together from what the model host says of them while it streams.

import {
  bytesPerToken,
  type HostCounts,
  maxTokenCount,
  type RequestFeatures,
  type TokenBounds,
  type TokenUsage,
  tokenCount,
  type UsageSource,
} from "../catalog/token-usage.ts";
import { list, record } from "../kernel/json.ts";
import { UnseenOutput } from "./unseen-output.ts";

/**
 * Takes each parsed event of a Messages stream, or one whole message, and tells the usage at the end. Where sources
 * differ, the host's own counts win one by one; the largest of the answer's counts fills what they lack.
 * Values that are no token count are ignored; nothing that is fed makes it throw.
 */
export class UsageCollector {
  readonly #bounds: TokenBounds;
  readonly #features: RequestFeatures;
  #known: Counts = {};
  #counted: HostCounts = {};
  #compaction: Counts = {};
  #ended = false;
  /** The model said why it stopped. What is counted before that may be of a part of the answer. */
  #stopped = false;
  #outputSaid = false;
  #bytes = 0;
  /** Bytes of all output that was written and shown, but for thinking. */
  #shownBytes = 0;
  #thinkingBytes = 0;
  readonly #unseen = new UnseenOutput();
  /** True if the output has a part that is billed otherwise than it is shown. */
  #hidden = false;

  /** @param bounds stand in for the output that the host never names. */
  constructor(bounds: TokenBounds, asked: RequestFeatures) {
    this.#bounds = bounds;
    this.#features = asked;
  }

  /**
   * @param at when the event came, in milliseconds since the epoch
   * @param counted the host's own counts of the call, if they came with the event
   */
  observe(event: unknown, at: number, counted?: HostCounts): void {
    const fields = record(event);
    if (counted) this.#counted = counted;
    this.#unseen.observe(event, at);
    switch (fields.type) {
      case "message_start":
        raise(this.#known, usageCounts(record(fields.message).usage));
        break;
      case "content_block_start":
        this.#countBlock(fields.content_block);
        break;
      case "content_block_delta":
        this.#count(deltaBytes(fields.delta));
        this.#countShown(fields.delta);
        break;
      case "message_delta":
        this.#stopped ||= typeof record(fields.delta).stop_reason === "string";
        this.#learnOutput(fields.usage);
        break;
      case "message_stop":
        this.#learnOutput(fields.usage);
        this.#ended = true;
        break;
      case "message":
        this.#learnOutput(fields.usage);
        if (!this.#outputSaid) for (const block of list(fields.content)) this.#countBlock(block);
        this.#ended = true;
    }
  }

  /**
   * The prompt's tokens that the host has counted so far, as usage without an output. Undefined if it has counted none, or reads more
   * than this.
   */
  prompt(): TokenUsage | undefined {
    const input = this.#total("input");
    if (input === undefined || this.#features.compaction) return undefined;
    const { fiveMinutes, oneHour } = this.#cacheWrites();
    const cacheRead = this.#total("cacheRead", this.#known.cacheRead ?? 0) ?? 0;
    return { input, output: 0, cache_read: cacheRead, cache_write_5m: fiveMinutes, cache_write_1h: oneHour };
  }

  /**
   * The usage as far as it is known now, and where it comes from. Undefined if too little is known for any count: then the
   * call is to be settled at its bounds.
   * @param options.hostStopped the host itself broke the answer off: it bills what it wrote, and no more
   */
  report(
    options: { clientLeft?: boolean; hostStopped?: boolean } = {},
  ): { usage: TokenUsage; source: UsageSource } | undefined {
    const input = this.#total("input");
    const output = this.#ended && this.#outputSaid ? this.#total("output") : this.#counted.output;
    if (input === undefined || (output === undefined && this.#features.compaction)) return undefined;
    const writes = this.#cacheWrites();
    const usage = {
      input,
      output: output ?? this.#estimatedOutput(this.#ended || options.hostStopped === true),
      cache_read: this.#total("cacheRead", this.#known.cacheRead ?? 0) ?? 0,
      cache_write_5m: writes.fiveMinutes,
      cache_write_1h: writes.oneHour,
    };
    if (output === undefined || writes.guessed) return { usage, source: "estimated" };
    return { usage, source: options.clientLeft ? "drained" : "final" };
  }

  /** The answer is going to come in one piece. @param sentAt in milliseconds since the epoch */
  awaitPiece(sentAt: number): void {
    this.#unseen.awaitPiece(sentAt);
  }

  /** The call was ended because it took too long. */
  giveUp(): void {
    this.#unseen.giveUp();
  }

  /**
   * The known usage of a call whose end nobody heard: the prompt as the host told it or, before that, as it was estimated, and the output
   * as far as it was told or received, or took time unseen. It is never more than the bounds.
   * @param at in milliseconds since the epoch
   */
  known(estimatedInput: number, at: number): TokenUsage {
    const { fiveMinutes, oneHour } = this.#cacheWrites();
    const thought = Math.max(Math.ceil(this.#thinkingBytes / bytesPerToken), this.#unseen.tokens(at));
    const received = Math.ceil(this.#shownBytes / bytesPerToken) + thought;
    return {
      input: this.#total("input") ?? estimatedInput,
      output: Math.max(this.#total("output") ?? 0, Math.min(received, this.#bounds.output)),
      cache_read: this.#total("cacheRead", this.#known.cacheRead ?? 0) ?? 0,
      cache_write_5m: fiveMinutes,
      cache_write_1h: oneHour,
    };
  }

  #countBlock(block: unknown): void {
    this.#count(blockBytes(block));
    this.#countShown(block);
  }

  #countShown(part: unknown): void {
    const { text, thinking, partial_json } = record(part);
    this.#shownBytes += textBytes(text) + textBytes(partial_json);
    this.#thinkingBytes += textBytes(thinking);
  }

  #count(bytes: number | undefined): void {
    if (bytes === undefined) this.#hidden = true;
    else this.#bytes += bytes;
  }

  /** Takes the output from the sources that count the whole of it; `message_start` counts only its beginning. */
  #learnOutput(usage: unknown): void {
    const counts = usageCounts(usage);
    raise(this.#known, counts);
    this.#outputSaid ||= counts.output !== undefined;
    raise(this.#compaction, compactionCounts(usage));
  }

  /**
   * A compaction is billed and stands beside the usage, not in it. Nobody says whether it is in the host's own counts, so that then
   * the larger count is taken.
   */
  #total(name: keyof HostCounts, said = this.#known[name]): number | undefined {
    const counted = this.#counted[name] ?? said;
    const compaction = this.#compaction[name];
    if (compaction === undefined || counted === undefined) return counted;
    return Math.min(maxTokenCount, Math.max(counted, (said ?? 0) + compaction));
  }

  /**
   * The output that the host counted when it stopped. If it counted none: a host that nobody heard to the end goes on, and bills the whole
   * answer; of an answer that is known to have ended, a token is at least one byte, if all that was written was shown.
   */
  #estimatedOutput(ended: boolean): number {
    const said = this.#total("output") ?? 0;
    if (this.#outputSaid && this.#stopped) return said;
    const bound = ended && !this.#hidden ? Math.min(this.#bytes, this.#bounds.output) : this.#bounds.output;
    return Math.min(maxTokenCount, Math.max(said, bound));
  }

  /**
   * The split by lifetime adds up to the total. Writes beyond the split are 5m writes unless the request asked for 1h ones
   * too: then they are taken as the more expensive kind, because at the 5m rate they could be sold below the host's price.
   */
  #cacheWrites(): { fiveMinutes: number; oneHour: number; guessed: boolean } {
    const { cacheWrite5m = 0, cacheWrite1h = 0 } = this.#known;
    const said = Math.max(this.#known.cacheWrite ?? 0, cacheWrite5m + cacheWrite1h);
    const total = this.#total("cacheWrite", said) ?? 0;
    const beyond = Math.max(0, total - cacheWrite5m - cacheWrite1h);
    const guessed = beyond > 0 && this.#features.oneHourCaching;
    const oneHour = Math.min(cacheWrite1h + (guessed ? beyond : 0), total);
    return { fiveMinutes: total - oneHour, oneHour, guessed };
  }
}

type CountName = keyof HostCounts | "cacheWrite5m" | "cacheWrite1h";
type Counts = { [Name in CountName]?: number | undefined };

/** `usage` of the Messages API. Counts of a stream are cumulative. */
function usageCounts(value: unknown): Counts {
  const usage = record(value);
  const writes = record(usage.cache_creation);
  return {
    input: tokenCount(usage.input_tokens),
    output: tokenCount(usage.output_tokens),
    cacheRead: tokenCount(usage.cache_read_input_tokens),
    cacheWrite: tokenCount(usage.cache_creation_input_tokens),
    cacheWrite5m: tokenCount(writes.ephemeral_5m_input_tokens),
    cacheWrite1h: tokenCount(writes.ephemeral_1h_input_tokens),
  };
}

/** The sum of the compactions that a request caused. Each report names all of them so far. */
function compactionCounts(value: unknown): Counts {
  const iterations = list(record(value).iterations).filter((iteration) => record(iteration).type === "compaction");
  const sum: Counts = {};
  for (const iteration of iterations) {
    for (const [name, count] of entries(usageCounts(iteration))) {
      sum[name] = Math.min(maxTokenCount, (sum[name] ?? 0) + count);
    }
  }
  return sum;
}

/** A tool is called in a form of its own, with marks around each parameter: twice the call's JSON is more than that. */
const toolCallFactor = 2;

/**
 * The tokens of what the model wrote in a block, at most. Undefined for what is billed otherwise than shown: thinking is
 * billed in full and shown as a summary, or not at all.
 */
function blockBytes(block: unknown): number | undefined {
  const { type, text } = record(block);
  if (type === "text") return typeof text === "string" ? Buffer.byteLength(text) : 0;
  if (type !== "tool_use") return undefined;
  try {
    return toolCallFactor * Buffer.byteLength(JSON.stringify(block));
  } catch {
    // The value is nested deeper than the stack.
    return undefined;
  }
}

function deltaBytes(delta: unknown): number | undefined {
  const { type, text, partial_json } = record(delta);
  if (type === "text_delta" && typeof text === "string") return Buffer.byteLength(text);
  if (type === "input_json_delta" && typeof partial_json === "string") {
    return toolCallFactor * Buffer.byteLength(partial_json);
  }
  return undefined;
}

function textBytes(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}

/** Keeps the larger of each count. */
function raise(counts: Counts, others: Counts): void {
  for (const [name, count] of entries(others)) counts[name] = Math.max(count, counts[name] ?? 0);
}

function entries(counts: Counts): [CountName, number][] {
  return Object.entries(counts).filter((entry): entry is [CountName, number] => entry[1] !== undefined);
}
