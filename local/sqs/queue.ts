// One standard queue: its messages with their visibility, delay, retention and redrive, all by the local stack's clock.
import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Collection } from "../store.ts";
import type { Message, MessageAttributes } from "./message.ts";
import { invalidParameter, refusal } from "./refusal.ts";

export type QueueSettings = {
  name: string;
  arn: string;
  url: string;
  visibilityTimeoutSeconds: number;
  retentionSeconds: number;
  delaySeconds: number;
  receiveWaitSeconds: number;
  maxMessageBytes: number;
  encrypted: boolean;
  redrive?: { deadLetterTargetArn: string; maxReceiveCount: number } | undefined;
};

export type Sent = { body: string; attributes: MessageAttributes; senderId: string; delaySeconds?: number | undefined };
export type Reception = { max: number; visibilitySeconds?: number | undefined; waitMs: number };
/** Approximate on AWS; exact here. */
export type Counts = { visible: number; inFlight: number; delayed: number };

type QueueParts = {
  clock: Clock;
  kept: Collection<Message>;
  /** Where a message goes that was received too often; none without a redrive policy. */
  deadLetters: () => Queue | undefined;
};

/** Of a message since its last receive (quotas-messages, "Message visibility timeout"). */
const maxVisibilitySeconds = 43_200;

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

  /** Takes back what was kept of an earlier run. */
  load(message: Message): void {
    this.#messages.set(message.id, message);
  }

  send({ body, attributes, senderId, delaySeconds = this.settings.delaySeconds }: Sent): Message {
    const now = this.#now();
    const visibleAt = now + delaySeconds * 1000;
    return this.#add({
      id: randomUUID(),
      queueArn: this.settings.arn,
      body,
      attributes,
      senderId,
      sentAt: now,
      visibleAt,
      receiveCount: 0,
    });
  }

  /** Up to `max` messages as soon as there is one, or none when the wait is over or the queue is closed. */
  async receive({ max, visibilitySeconds, waitMs }: Reception): Promise<Message[]> {
    const until = this.#now() + waitMs;
    for (;;) {
      const found = this.#closed ? [] : this.#take(max, visibilitySeconds ?? this.settings.visibilityTimeoutSeconds);
      if (found.length > 0 || this.#closed || this.#now() >= until) return found;
      await this.#change(until);
    }
  }

  /**
   * A receipt that is not the newest has no effect, and is no error.
   * @throws AwsError ReceiptHandleIsInvalid for what is no receipt of this queue.
   */
  delete(receiptHandle: string): void {
    const { message } = this.#received(receiptHandle);
    if (message) this.#remove(message);
  }

  /** @throws AwsError if the message is not in flight, or would be for more than 12 hours. */
  changeVisibility(receiptHandle: string, seconds: number): void {
    const { id, message } = this.#received(receiptHandle);
    const now = this.#now();
    if (!this.#messages.has(id)) {
      throw invalidParameter(
        `Value ${receiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
    }
    if (!message || message.visibleAt <= now) {
      throw refusal("MessageNotInflight", "The specified message isn't in flight.");
    }
    if (now + seconds * 1000 > (message.receivedAt ?? now) + maxVisibilitySeconds * 1000) {
      throw invalidParameter(
        `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${maxVisibilitySeconds} seconds].`,
      );
    }
    this.#keep({ ...message, visibleAt: now + seconds * 1000 });
    this.#wake();
  }

  /** Moves every message to its source, or to `target`: there they are new ones. Gives their number. */
  moveTo(target: (message: Message) => Queue | undefined): number {
    const movable = this.messages().filter(({ visibleAt }) => visibleAt <= this.#now());
    return movable.filter((message) => {
      const queue = target(message);
      queue?.send({ body: message.body, attributes: message.attributes, senderId: message.senderId });
      if (queue) this.#remove(message);
      return queue !== undefined;
    }).length;
  }

  purge(): void {
    for (const message of [...this.#messages.values()]) this.#remove(message);
  }

  /** All that it holds, oldest first; what is past its retention is gone. */
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

  /** Ends every wait with nothing. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#wake();
  }

  #take(max: number, visibilitySeconds: number): Message[] {
    const now = this.#now();
    const taken: Message[] = [];
    for (const message of this.messages()) {
      if (taken.length === max) break;
      if (message.visibleAt > now || this.#gaveUp(message)) continue;
      taken.push(
        this.#keep({
          ...message,
          receiveCount: message.receiveCount + 1,
          firstReceivedAt: message.firstReceivedAt ?? now,
          receivedAt: now,
          receipt: randomUUID(),
          visibleAt: now + visibilitySeconds * 1000,
        }),
      );
    }
    return taken;
  }

  /** Moves it to the dead letters if it was received as often as it may be. Its age goes on (redrive keeps `SentTimestamp`). */
  #gaveUp(message: Message): boolean {
    const { redrive, arn } = this.settings;
    const target = this.#parts.deadLetters();
    if (!redrive || !target || message.receiveCount < redrive.maxReceiveCount) return false;
    const { receipt: _receipt, ...rest } = message;
    this.#remove(message);
    target.#add({ ...rest, queueArn: target.settings.arn, deadLetterSourceArn: arn, visibleAt: this.#now() });
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

  #received(receiptHandle: string): { id: string; message: Message | undefined } {
    const [name, id = "", receipt] = Buffer.from(receiptHandle, "base64").toString().split(" ");
    if (name !== this.settings.name || !receipt) {
      throw refusal(
        "ReceiptHandleIsInvalid",
        `The input receipt handle "${receiptHandle}" is not a valid receipt handle.`,
      );
    }
    const message = this.#messages.get(id);
    return { id, message: message?.receipt === receipt ? message : undefined };
  }

  #now(): number {
    return this.#parts.clock.now();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when something may have become visible, at `until` at the latest. */
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

/** The receipt of a message that was just received. */
export function receiptHandleOf({ id, receipt }: Message, { name }: QueueSettings): string {
  return Buffer.from(`${name} ${id} ${receipt}`).toString("base64");
}
