// Webhooks: each event is sent, signed, to the destinations that want it. A delivery is retried until it succeeds or three days are over.
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { Clock } from "../clock.ts";
import type { Collection } from "../store.ts";
import type { Account, KeptDestination } from "./account.ts";
import { newId, type ThinEvent } from "./objects.ts";

type Delivery = { id: string; event: string; destination: string; attempts: number; since: number; next: number };

/** Retries go on for up to three days with an exponential backoff (docs.stripe.com/webhooks). The intervals are not published. */
const giveUpSeconds = 3 * 86_400;
const backoffSeconds = [60, 300, 1_800, 7_200, 18_000, 36_000];
const timeoutMs = 30_000;

/** The address that serves a webhook URL. A stack's own hosts may be served on this machine. */
export type Reach = (url: URL) => { hostname: string; port: string };

type DeliveriesOptions = { account: Account; clock: Clock; reach: Reach };

export class Deliveries {
  readonly #account: Account;
  readonly #reach: Reach;
  readonly #pending: Collection<Delivery>;
  readonly #stopListening: () => void;
  #running: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ account, clock, reach }: DeliveriesOptions) {
    this.#account = account;
    this.#reach = reach;
    this.#pending = account.store.collection("stripe-delivery");
    account.onEvent((event) => this.#plan(event));
    this.#stopListening = clock.onAdvance(() => this.run());
  }

  /** The deliveries that have not succeeded yet. */
  get pending(): Delivery[] {
    return this.#pending.all();
  }

  /** Sends the due deliveries in the background. */
  run(): void {
    this.#again = true;
    if (this.#running || this.#closed) return;
    // The request that caused the event is answered first.
    this.#running = new Promise(setImmediate)
      .then(() => this.#sendAll())
      .finally(() => {
        this.#running = undefined;
        this.#wait();
      });
  }

  /** Resolves when no delivery is due or being sent. */
  async idle(): Promise<void> {
    this.run();
    while (this.#running) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #plan(event: ThinEvent): void {
    const { webhook_copies } = this.#account.settings;
    const wanting = this.#account.destinations.all().filter((kept) => wants(kept, event));
    for (const { id: destination } of wanting) {
      for (let copy = 0; copy < webhook_copies; copy += 1) {
        const since = this.#account.now();
        const delivery = { id: newId("dlv"), event: event.id, destination, attempts: 0, since, next: since };
        this.#pending.put(delivery.id, delivery);
      }
    }
    if (wanting.length > 0) this.run();
  }

  #due(): Delivery[] {
    const { webhooks_held, webhook_order } = this.#account.settings;
    if (webhooks_held) return [];
    const due = this.#pending.all().filter(({ next }) => next <= this.#account.now());
    return webhook_order === "reversed" ? due.toReversed() : due;
  }

  async #sendAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      for (const delivery of this.#due()) {
        if (this.#closed) return;
        await this.#send(delivery);
      }
    }
  }

  async #send(delivery: Delivery): Promise<void> {
    const kept = this.#account.destinations.get(delivery.destination);
    const event = this.#account.events.get(delivery.event);
    const taken = !kept || !event || (await this.#post(kept, event));
    if (taken || this.#account.now() >= delivery.since + giveUpSeconds) {
      this.#pending.delete(delivery.id);
      return;
    }
    const backoff = backoffSeconds[Math.min(delivery.attempts, backoffSeconds.length - 1)] ?? 0;
    const next = this.#account.now() + backoff;
    this.#pending.put(delivery.id, { ...delivery, attempts: delivery.attempts + 1, next });
  }

  async #post({ destination, secret }: KeptDestination, event: ThinEvent): Promise<boolean> {
    const url = new URL(destination.webhook_endpoint?.url ?? "");
    // The notification has no changes; the event that is fetched has them (docs.stripe.com/event-destinations#thin-payload).
    const { changes: _, ...notification } = event;
    const payload = JSON.stringify(notification);
    const { hostname, port } = this.#reach(url);
    const client = url.protocol === "https:" && hostname === url.hostname ? https : http;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const request = client.request({
      method: "POST",
      hostname,
      port,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(payload),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        "stripe-signature": signatureOf(payload, secret, this.#account.now()),
      },
      timeout: timeoutMs,
    });
    request.on("response", (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve(statusCode >= 200 && statusCode < 300);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
    request.end(payload);
    return promise;
  }

  /** Waits for the next attempt by the time of the machine. An advanced clock starts it earlier. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    if (this.#again) {
      this.run();
      return;
    }
    const next = Math.min(...this.#pending.all().map((delivery) => delivery.next));
    if (!Number.isFinite(next) || this.#account.settings.webhooks_held) return;
    const milliseconds = Math.max(1_000, (next - this.#account.now()) * 1000);
    this.#timer = setTimeout(() => this.run(), Math.min(milliseconds, 2 ** 31 - 1)).unref();
  }
}

function wants({ destination: { enabled_events } }: KeptDestination, { type }: ThinEvent): boolean {
  return enabled_events.includes(type) || enabled_events.includes("*");
}

/** `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<payload>">` (docs.stripe.com/webhooks/signature). */
export function signatureOf(payload: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${payload}`).digest("hex")}`;
}
