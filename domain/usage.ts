// Usage: the tokens that one call cost, put together from what the model host says of them while it streams.
import { list, record } from "./json.ts";

/** Whole, non-negative counts. `input` excludes what was read from or written to the cache. */
export type TokenUsage = {
  input: number;
  output: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
};

export type TokenKind = keyof TokenUsage;

/**
 * `final`: the model host said it to a client that stayed. `drained`: the same, after the client had left.
 * `estimated`: the stream broke off, or the host never said it.
 */
export type UsageSource = "final" | "drained" | "estimated";

/** A larger count is a mistake and ignored: a thousand times the largest context window. Keeps every cost exact. */
export const maxTokenCount = 1_000_000_000;

/** All tokens of the prompt, cached or not. Prices by prompt length go by it. */
export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
}

/**
 * Takes each parsed event of a Messages stream, or one whole message, and tells the usage at the end. Where sources
 * differ, the metrics of `message_stop` win count by count; the largest of the other counts fills what they lack.
 * Values that are no token count are ignored; nothing that is fed makes it throw.
 */
export class UsageCollector {
  readonly #inputEstimate: number;
  #known: Counts = {};
  #metrics: Counts = {};
  #ended = false;
  #outputSaid = false;
  #characters = 0;

  /** @param options.inputEstimate stands in for the prompt's tokens if the host never names them. */
  constructor(options: { inputEstimate?: number } = {}) {
    this.#inputEstimate = options.inputEstimate ?? 0;
  }

  feed(event: unknown): void {
    const fields = record(event);
    switch (fields.type) {
      case "message_start":
        this.#learn(usageCounts(record(fields.message).usage));
        break;
      case "content_block_start":
        this.#characters += charactersOf(fields.content_block);
        break;
      case "content_block_delta":
        this.#characters += charactersOf(fields.delta);
        break;
      case "message_delta":
        this.#learnOutput(usageCounts(fields.usage));
        break;
      case "message_stop":
        this.#learnOutput(usageCounts(fields.usage));
        this.#metrics = metricsCounts(fields["amazon-bedrock-invocationMetrics"]);
        this.#ended = true;
        break;
      case "message":
        this.#learnOutput(usageCounts(fields.usage));
        for (const block of list(fields.content)) this.#characters += charactersOf(block);
        this.#ended = true;
    }
  }

  /** The usage as far as it is known now, and where it comes from. */
  report(options: { clientLeft?: boolean } = {}): { usage: TokenUsage; source: UsageSource } {
    const input = this.#metrics.input ?? this.#known.input;
    const output = this.#metrics.output ?? (this.#ended && this.#outputSaid ? this.#known.output : undefined);
    const usage = {
      input: input ?? this.#inputEstimate,
      output: output ?? this.#estimatedOutput(),
      cache_read: this.#metrics.cacheRead ?? this.#known.cacheRead ?? 0,
      ...this.#cacheWrites(),
    };
    if (input === undefined || output === undefined) return { usage, source: "estimated" };
    return { usage, source: options.clientLeft ? "drained" : "final" };
  }

  #learn(counts: Counts): void {
    for (const [name, count] of entries(counts)) this.#known[name] = Math.max(count, this.#known[name] ?? 0);
  }

  /** Only these sources count the whole output; the one in `message_start` is its beginning. */
  #learnOutput(counts: Counts): void {
    this.#learn(counts);
    this.#outputSaid ||= counts.output !== undefined;
  }

  /** What was counted, or one token for each 4 characters seen, whichever is more. */
  #estimatedOutput(): number {
    return Math.min(maxTokenCount, Math.max(this.#known.output ?? 0, Math.ceil(this.#characters / 4)));
  }

  /**
   * The split by lifetime adds up to the total. Writes beyond the split are taken as 1h writes, the dearer kind: the model
   * host billed them, and at the 5m rate they would be sold below its price.
   */
  #cacheWrites(): Pick<TokenUsage, "cache_write_5m" | "cache_write_1h"> {
    const { cacheWrite5m = 0, cacheWrite1h = 0 } = this.#known;
    const total = this.#metrics.cacheWrite ?? Math.max(this.#known.cacheWrite ?? 0, cacheWrite5m + cacheWrite1h);
    const fiveMinutes = Math.min(cacheWrite5m, total - Math.min(cacheWrite1h, total));
    return { cache_write_5m: fiveMinutes, cache_write_1h: total - fiveMinutes };
  }
}

type CountName = "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite5m" | "cacheWrite1h";
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

/** `amazon-bedrock-invocationMetrics`, which knows no split of the writes. */
function metricsCounts(value: unknown): Counts {
  const metrics = record(value);
  return {
    input: tokenCount(metrics.inputTokenCount),
    output: tokenCount(metrics.outputTokenCount),
    cacheRead: tokenCount(metrics.cacheReadInputTokenCount),
    cacheWrite: tokenCount(metrics.cacheWriteInputTokenCount),
  };
}

function tokenCount(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxTokenCount
    ? (value as number)
    : undefined;
}

/** The characters of a block or delta that the model wrote. */
function charactersOf(part: unknown): number {
  const { text, thinking, partial_json } = record(part);
  return [text, thinking, partial_json].reduce<number>(
    (sum, written) => sum + (typeof written === "string" ? written.length : 0),
    0,
  );
}

function entries(counts: Counts): [CountName, number][] {
  return Object.entries(counts).filter((entry): entry is [CountName, number] => entry[1] !== undefined);
}
