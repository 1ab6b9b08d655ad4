// One standard queue: its messages with visibility, delay, retention and redrive, by the clock of the local stack.
import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Collection } from "../store.ts";
import type { Lineage, Message } from "./message.ts";

export type QueueSettings = {
  name: string;
  arn: string;
  url: string;
  visibilityTimeoutSeconds: number;
  retentionSeconds: number;
  delaySeconds: number;
  maxMessageBytes: number;
  redrive?: { deadLetterTargetArn: string; maxReceiveCount: number } | undefined;
};

export type Sent = { body: string; senderId: string; delaySeconds?: number | undefined; lineage?: Lineage | undefined };
/** These counts are approximate on AWS and exact here. */
export type Counts = { visible: number; inFlight: number; delayed: number };

type QueueParts = {
  clock: Clock;
  kept: Collection<Message>;
  /** The queue for messages that were received too often; undefined without a redrive policy. */
  deadLetters: () => Queue | undefined;
};

export class Queue {
  readonly settings: QueueSettings;
  readonly #parts: QueueParts;
  /** Oldest first. */
  readonly #messages = new Map<string, Message>();
  readonly #waiting = new Set<() => void>();
  readonly #stopListening: () => void;
  #closed = false;

  constructor(settings: QueueSettings, parts: QueueParts) {
    this.settings = settings;
    this.#parts = parts;
    this.#stopListening = parts.clock.onAdvance(() => this.#wake());
  }

  /** Restores a message of an earlier run. */
  load(message: Message): void {
    this.#messages.set(message.id, message);
  }

  send({ body, senderId, lineage, delaySeconds = this.settings.delaySeconds }: Sent): Message {
    const now = this.#now();
    const visibleAt = now + delaySeconds * 1000;
    return this.#add({
      id: randomUUID(),
      queueArn: this.settings.arn,
      body,
      senderId,
      sentAt: now,
      visibleAt,
      receiveCount: 0,
      ...(lineage && { lineage }),
    });
  }

  /** Up to `max` messages as soon as there is one, or none when the wait is over or the queue is closed. */
  async receive({ max, waitMs }: { max: number; waitMs: number }): Promise<Message[]> {
    const until = this.#now() + waitMs;
    for (;;) {
      const found = this.#closed ? [] : this.#take(max);
      if (found.length > 0 || this.#closed || this.#now() >= until) return found;
      await this.#change(until);
    }
  }

  /** Deletes a message by its newest receipt. An older receipt has no effect. */
  delete({ id, receipt }: Message): void {
    const message = this.#messages.get(id);
    if (message?.receipt === receipt && message) this.#remove(message);
  }

  /** Moves a message to the dead letters, if there is a queue for them. */
  giveUp(message: Message): void {
    const { receipt: _receipt, ...rest } = message;
    const target = this.#parts.deadLetters();
    this.#remove(message);
    const deadLetterSourceArn = this.settings.arn;
    if (target) target.#add({ ...rest, queueArn: target.settings.arn, deadLetterSourceArn, visibleAt: this.#now() });
  }

  /** Moves the visible messages to their targets, as new messages. @returns their number */
  moveTo(target: (message: Message) => Queue | undefined): number {
    const movable = this.messages().filter(({ visibleAt }) => visibleAt <= this.#now());
    return movable.filter((message) => {
      const queue = target(message);
      queue?.send({ body: message.body, senderId: message.senderId });
      if (queue) this.#remove(message);
      return queue !== undefined;
    }).length;
  }

  purge(): void {
    for (const message of [...this.#messages.values()]) this.#remove(message);
  }

  /** All messages, oldest first. Messages past their retention are dropped first. */
  messages(): Message[] {
    const oldest = this.#now() - this.settings.retentionSeconds * 1000;
    for (const message of [...this.#messages.values()]) if (message.sentAt <= oldest) this.#remove(message);
    return [...this.#messages.values()];
  }

  counts(): Counts {
    const counts = { visible: 0, inFlight: 0, delayed: 0 };
    for (const { visibleAt, receipt } of this.messages()) {
      counts[visibleAt <= this.#now() ? "visible" : receipt === undefined ? "delayed" : "inFlight"] += 1;
    }
    return counts;
  }

  /** Ends every waiting receive without a message. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#wake();
  }

  #take(max: number): Message[] {
    const now = this.#now();
    const taken: Message[] = [];
    for (const message of this.messages()) {
      if (taken.length === max) break;
      if (message.visibleAt > now || this.#movedToDeadLetters(message)) continue;
      taken.push(
        this.#keep({
          ...message,
          receiveCount: message.receiveCount + 1,
          firstReceivedAt: message.firstReceivedAt ?? now,
          receipt: randomUUID(),
          visibleAt: now + this.settings.visibilityTimeoutSeconds * 1000,
        }),
      );
    }
    return taken;
  }

  /** Moves a message that was received too often to the dead letters. Redrive keeps its `SentTimestamp`. */
  #movedToDeadLetters(message: Message): boolean {
    const { redrive } = this.settings;
    if (!redrive || !this.#parts.deadLetters() || message.receiveCount < redrive.maxReceiveCount) return false;
    this.giveUp(message);
    return true;
  }

  #add(message: Message): Message {
    this.#keep(message);
    this.#wake();
    return message;
  }

  #keep(message: Message): Message {
    this.#messages.set(message.id, message);
    this.#parts.kept.put(message.id, message);
    return message;
  }

  #remove({ id }: Message): void {
    this.#messages.delete(id);
    this.#parts.kept.delete(id);
  }

  #now(): number {
    return this.#parts.clock.now();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when a message may have become visible, at `until` at the latest. */
  #change(until: number): Promise<void> {
    const now = this.#now();
    const times = this.messages().map(({ visibleAt }) => visibleAt);
    const next = times.reduce((soonest, time) => (time > now && time < soonest ? time : soonest), until);
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, next - now).unref();
      this.#waiting.add(wake);
    });
  }
}

/** The receipt handle of a received message, as a function sees it. */
export function receiptHandleOf({ id, receipt }: Message, { name }: QueueSettings): string {
  return Buffer.from(`${name} ${id} ${receipt}`).toString("base64");
}
