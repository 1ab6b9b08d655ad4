// Lambda's poller of queues. It invokes each mapped function with batches of messages, and deletes the processed ones.
import type { Clock } from "../clock.ts";
import type { DeclaredResource, Resources } from "../pulumi/resources.ts";
import { eventSourceMapping, mappedFunction } from "../pulumi/services/event-source-mapping.ts";
import type { Lineage, Message } from "../sqs/message.ts";
import type { Queue } from "../sqs/queue.ts";
import type { Queues } from "../sqs/queues.ts";
import type { Functions } from "./functions.ts";
import type { LocalFunction } from "./local-function.ts";
import { failedIds, queueEvent } from "./queue-event.ts";

type PollerParts = { resources: Resources; queues: Queues; functions: Functions; clock: Clock; region: string };

/** The number of batches at once with which Lambda begins for a standard queue (docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html). */
const usualConcurrency = 5;
/** Lambda stops a function after about so many invocations in one chain (docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html). */
const maxInvocationsOfChain = 16;
const longPollMs = 20_000;
/** The most messages that one receive gives. */
const receiveSize = 10;

export class QueuePoller {
  readonly #mappings: Mapping[];

  constructor(parts: PollerParts) {
    this.#mappings = parts.resources
      .ofType(eventSourceMapping.type)
      .filter(({ inputs }) => inputs.enabled !== false)
      .map((declared) => mappingOf(declared, parts));
  }

  start(): void {
    for (const mapping of this.#mappings) void mapping.run();
  }

  /** Resolves when no mapped queue has a message to be received and no function works on a batch. */
  async idle(): Promise<void> {
    await Promise.all(this.#mappings.map((mapping) => mapping.idle()));
  }

  close(): void {
    for (const mapping of this.#mappings) mapping.close();
  }
}

type MappingSettings = {
  queue: Queue;
  fn: LocalFunction;
  batchSize: number;
  windowMs: number;
  reportsFailures: boolean;
  concurrency: number;
};

class Mapping {
  readonly #settings: MappingSettings;
  readonly #clock: Clock;
  readonly #region: string;
  /** The number of batches that are being collected or processed. */
  #batches = 0;
  #closed = false;
  readonly #onChange = new Set<() => void>();

  constructor(settings: MappingSettings, { clock, region }: PollerParts) {
    this.#settings = settings;
    this.#clock = clock;
    this.#region = region;
  }

  async run(): Promise<void> {
    const { queue, concurrency, batchSize } = this.#settings;
    while (!this.#closed) {
      while (this.#batches >= concurrency) await this.#change();
      const max = Math.min(receiveSize, batchSize);
      const first = await queue.receive({ max, waitMs: longPollMs });
      if (first.length === 0) continue;
      this.#batches += 1;
      const batch = await this.#collected(first);
      void this.#work(batch).finally(() => {
        this.#batches -= 1;
        this.#changed();
      });
    }
  }

  async idle(): Promise<void> {
    for (;;) {
      // Messages that were just received count as a batch only a moment later.
      await new Promise(setImmediate);
      if (this.#closed || (this.#batches === 0 && this.#settings.queue.counts().visible === 0)) return;
      await this.#change();
    }
  }

  close(): void {
    this.#closed = true;
    this.#changed();
  }

  /** Adds messages until the batch is full or its window is over. */
  async #collected(messages: Message[]): Promise<Message[]> {
    const { queue, batchSize, windowMs } = this.#settings;
    const until = this.#clock.now() + windowMs;
    const batch = [...messages];
    while (!this.#closed && batch.length < batchSize && this.#clock.now() < until) {
      const max = Math.min(receiveSize, batchSize - batch.length);
      batch.push(...(await queue.receive({ max, waitMs: until - this.#clock.now() })));
    }
    return batch;
  }

  /**
   * Gives up messages whose chain has gone through the function too often, as Lambda does.
   * @returns the others
   */
  #withoutLoops(batch: Message[]): Message[] {
    const { queue, fn } = this.#settings;
    const { name } = fn.settings;
    const loops = batch.filter(({ lineage }) => (lineage?.[name] ?? 0) >= maxInvocationsOfChain);
    for (const message of loops) {
      console.error(`${name}: a message of ${queue.settings.name} was given up, since ${name} had started itself`);
      queue.giveUp(message);
    }
    return batch.filter((message) => !loops.includes(message));
  }

  /** Invokes the function. Messages that failed stay hidden until their visibility timeout is over, as on Lambda. */
  async #work(received: Message[]): Promise<void> {
    const { queue, fn, reportsFailures } = this.#settings;
    const batch = this.#withoutLoops(received);
    if (batch.length === 0) return;
    const ids = batch.map(({ id }) => id);
    const failed = await fn.invoke(queueEvent(batch, queue.settings, this.#region), lineageOf(batch)).then(
      (response) => (reportsFailures ? failedIds(response, ids) : new Set<string>()),
      () => new Set(ids),
    );
    if (this.#closed) return;
    for (const message of batch) if (!failed.has(message.id)) queue.delete(message);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#onChange.add(resolve));
  }

  #changed(): void {
    const listeners = [...this.#onChange];
    this.#onChange.clear();
    for (const listener of listeners) listener();
  }
}

/** Messages of one batch may come from several chains of invocations: the longest counts. */
function lineageOf(batch: readonly Message[]): Lineage {
  const counts: Record<string, number> = {};
  for (const [name, count] of batch.flatMap(({ lineage = {} }) => Object.entries(lineage))) {
    counts[name] = Math.max(counts[name] ?? 0, count);
  }
  return counts;
}

function mappingOf(declared: DeclaredResource, parts: PollerParts): Mapping {
  const { inputs, name } = declared;
  const queue = parts.queues.byArn(inputs.eventSourceArn);
  const fn = mappedFunction(declared, parts.resources);
  if (!queue || !fn) throw new Error(`Event source "${name}": its queue or its function is not declared.`);
  return new Mapping(
    {
      queue,
      fn: parts.functions.byArn(fn.outputs.arn),
      batchSize: inputs.batchSize ?? 10,
      windowMs: (inputs.maximumBatchingWindowInSeconds ?? 0) * 1000,
      reportsFailures: (inputs.functionResponseTypes ?? []).includes("ReportBatchItemFailures"),
      concurrency: inputs.scalingConfig?.maximumConcurrency ?? usualConcurrency,
    },
    parts,
  );
}
