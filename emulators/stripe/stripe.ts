// The local Stripe. Functions reach the API at `api.stripe.com`; people reach API and pages at `/@stripe`.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Calls } from "../aws/calls.ts";
import { ConnectionCut, type Faults } from "../aws/faults.ts";
import type { Clock } from "../clock.ts";
import { readBody } from "../request-body.ts";
import type { Store } from "../store.ts";
import { Account } from "./account.ts";
import { Api, type ApiRequest } from "./api.ts";
import { catchUp } from "./billing/billing-cycle.ts";
import { Deliveries, type Reach } from "./deliveries.ts";
import { servePage } from "./pages/pages.ts";
import { recordRequest } from "./recording.ts";
import type { Settings } from "./settings.ts";

/** The host of Stripe's API, which the program's functions call. */
export const apiHost = "api.stripe.com";

type StripeOptions = {
  store: Store;
  clock: Clock;
  calls: Calls;
  faults: Faults;
  /** The URL of the pages, without a slash at the end. */
  pagesUrl: () => string;
  reach: Reach;
};

type HttpAnswer = { status: number; headers: Record<string, string>; body: string };

const maxBodyBytes = 1024 * 1024;

export class Stripe {
  readonly account: Account;
  readonly #api: Api;
  readonly #deliveries: Deliveries;
  readonly #stopListening: () => void;

  constructor({ store, clock, calls, faults, pagesUrl, reach }: StripeOptions) {
    this.account = new Account({ store, clock, pagesUrl });
    this.#api = new Api({ account: this.account, calls, faults });
    // Registered before the deliveries, which then find the events of the time that has passed.
    this.#stopListening = clock.onAdvance(() => catchUp(this.account));
    this.#deliveries = new Deliveries({ account: this.account, clock, reach });
  }

  /** Answers for the API and for the pages. The promise never rejects, and every response is ended. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once("close", () => response.writableFinished || left.abort());
    try {
      const body = await readBody(request, maxBodyBytes);
      if (!body) return void response.writeHead(413).end();
      const received: ApiRequest = {
        method: request.method ?? "GET",
        url: request.url ?? "/",
        headers: request.headers,
        body: body.toString("utf8"),
      };
      if (/^\/v[12]\//.test(received.url)) {
        const { status, headers, body } = await this.answer(received, left.signal);
        response.writeHead(status, headers).end(body);
      } else servePage(this.account, received, response);
    } catch (error) {
      if (!(error instanceof ConnectionCut || left.signal.aborted)) console.error("The local Stripe broke:", error);
      response.destroy();
    }
  }

  get settings(): Settings {
    return this.account.settings;
  }

  /** @throws Error that names every wrong setting. */
  configure(given: unknown): Settings {
    const settings = this.account.configure(given);
    this.#deliveries.run();
    return settings;
  }

  /** The deliveries that have not succeeded yet. */
  get deliveries() {
    return this.#deliveries.pending;
  }

  /** Resolves when no webhook is due or being sent. */
  async idle(): Promise<void> {
    catchUp(this.account);
    await this.#deliveries.idle();
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#deliveries.close();
  }

  /**
   * Answers a request to the API.
   * @param left fires when the caller leaves
   * @throws ConnectionCut if a fault says that there is no answer
   */
  async answer(request: ApiRequest, left: AbortSignal): Promise<HttpAnswer> {
    const { status, body, replayed, operation } = await this.#api.answer(request, left);
    recordRequest(request, { status, body, operation });
    const key = request.headers["idempotency-key"];
    const version = request.headers["stripe-version"];
    const headers = {
      "content-type": "application/json",
      "request-id": `req_${randomUUID().replaceAll("-", "").slice(0, 14)}`,
      ...(typeof version === "string" && { "stripe-version": version }),
      ...(typeof key === "string" && { "idempotency-key": key }),
      ...(replayed && { "idempotent-replayed": "true" }),
      ...(status === 400 && { "stripe-should-retry": "false" }),
    };
    return { status, headers, body: JSON.stringify(body) };
  }
}
