// The API: authenticates a request, finds its endpoint, applies faults and idempotency keys, and answers in the shape of Stripe.

import type { Call, Calls } from "../aws/calls.ts";
import { ConnectionCut, type Faults, type MatchedFault } from "../aws/faults.ts";
import { AwsError } from "../aws/service.ts";
import type { Account } from "./account.ts";
import { accountSettings } from "./billing/account-settings.ts";
import { catchUp } from "./billing/billing-cycle.ts";
import { charges } from "./billing/charges.ts";
import { creditNotes } from "./billing/credit-notes.ts";
import { debits } from "./billing/debits.ts";
import { invoiceItems } from "./billing/invoice-items.ts";
import { invoices } from "./billing/invoices.ts";
import { subscriptions } from "./billing/subscriptions.ts";
import { meterEvents } from "./billing/usage.ts";
import { catalog } from "./catalog.ts";
import { checkout } from "./checkout.ts";
import { customers } from "./customers.ts";
import { type Endpoint, type Found, findEndpoint } from "./endpoint.ts";
import { events } from "./events.ts";
import { type Answer, IdempotencyKeys } from "./idempotency.ts";
import { parseForm } from "./parameters.ts";
import { paymentMethods } from "./payment-methods.ts";
import { portal } from "./portal.ts";
import { rateLimited, StripeRefusal } from "./refusal.ts";
import { testClocks } from "./test-clocks.ts";

export const endpoints: Endpoint[] = [
  ...customers,
  ...catalog,
  ...meterEvents,
  ...subscriptions,
  ...invoices,
  ...invoiceItems,
  ...debits,
  ...paymentMethods,
  ...accountSettings,
  ...charges,
  ...creditNotes,
  ...checkout,
  ...portal,
  ...events,
  ...testClocks,
];

export type ApiRequest = {
  method: string;
  /** Includes the query. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};
export type ApiAnswer = Answer & { replayed: boolean; operation: string };

type ApiOptions = { account: Account; calls: Calls; faults: Faults };

export class Api {
  readonly #options: ApiOptions;
  readonly #keys: IdempotencyKeys;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#keys = new IdempotencyKeys(options.account);
  }

  /**
   * @param left fires when the caller leaves
   * @throws ConnectionCut if a fault says that there is no answer
   */
  async answer(request: ApiRequest, left: AbortSignal): Promise<ApiAnswer> {
    const call = this.#record(request);
    const started = performance.now();
    try {
      const answer = await this.#carryOut(request, call, left);
      call.status = answer.status;
      return { ...answer, operation: call.operation };
    } catch (error) {
      if (error instanceof ConnectionCut) throw error;
      const answer = failed(error);
      call.status = answer.status;
      call.reason = (error as Error).message;
      return { ...answer, replayed: false, operation: call.operation };
    } finally {
      call.durationMs = performance.now() - started;
    }
  }

  #record({ headers }: ApiRequest): Call {
    const caller = headers["x-local-function"];
    const call: Call = {
      at: this.#options.account.now() * 1000,
      ...(typeof caller === "string" && { function: caller }),
      service: "stripe",
      operation: "",
      decisions: [],
      allowed: true,
      status: 0,
      durationMs: 0,
    };
    this.#options.calls.add(call);
    return call;
  }

  async #carryOut(request: ApiRequest, call: Call, left: AbortSignal): Promise<Answer & { replayed: boolean }> {
    const { account, faults } = this.#options;
    authenticate(request);
    const url = new URL(request.url, "http://stripe");
    const found = findEndpoint(endpoints, request.method, url.pathname);
    if (!found) throw unknownUrl(request.method, url.pathname);
    const { endpoint } = found;
    call.operation = endpoint.operation;
    catchUp(account);
    const fault = faults.take("stripe", endpoint.operation, request.body || url.search);
    if (fault) call.fault = `${fault.kind} ${fault.when}`;
    const input = inputOf(request, url);
    const once = () => this.#execute(found, input, fault, left);
    const key = request.method === "POST" ? request.headers["idempotency-key"] : undefined;
    if (typeof key !== "string") return { ...(await once()).answer, replayed: false };
    const isV1 = url.pathname.startsWith("/v1/");
    const identity = { method: request.method, path: url.pathname, body: request.body };
    let lost: unknown;
    const answer = await this.#keys.once(key, identity, isV1, async () => {
      const executed = await once();
      lost = executed.lost;
      return executed;
    });
    if (lost) throw lost;
    return answer;
  }

  /** @returns `lost` if the request took effect and a fault cuts the connection before the answer */
  async #execute({ endpoint, path }: Found, input: unknown, fault: MatchedFault | undefined, left: AbortSignal) {
    const early = fault?.when === "before" ? await strike(fault, left) : undefined;
    if (early) return { answer: failed(early), began: early.status !== 429, lost: undefined };
    const { answer, began } = this.#run(endpoint, input, path);
    if (fault?.when !== "after") return { answer, began, lost: undefined };
    try {
      const late = await strike(fault, left);
      return { answer: late ? failed(late) : answer, began, lost: undefined };
    } catch (lost) {
      return { answer, began, lost };
    }
  }

  #run(endpoint: Endpoint, input: unknown, path: Record<string, string>): { answer: Answer; began: boolean } {
    try {
      const body = endpoint.run(input, { account: this.#options.account, path });
      return { answer: { status: 200, body }, began: true };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { answer: failed(error), began: error.executed };
    }
  }
}

/** Takes a key of a sandbox, as `Authorization: Bearer` or `Basic`. */
function authenticate({ headers }: ApiRequest): void {
  const [scheme, given = ""] = String(headers.authorization ?? "").split(" ");
  const key = scheme?.toLowerCase() === "basic" ? Buffer.from(given, "base64").toString().split(":")[0] : given;
  if (/^[sr]k_test_\w+$/.test(key ?? "")) return;
  throw new StripeRefusal(401, "invalid_request_error", "Invalid API Key provided.", {}, false);
}

function unknownUrl(method: string, path: string): StripeRefusal {
  const message = `Unrecognized request URL (${method}: ${path}), or one that the local stack does not emulate.`;
  return new StripeRefusal(404, "invalid_request_error", message, {}, false);
}

function inputOf({ body, method }: ApiRequest, url: URL): unknown {
  if (method !== "POST" && url.search) return parseForm(url.search.slice(1));
  if (!url.pathname.startsWith("/v2/")) return parseForm(body);
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw new StripeRefusal(400, "invalid_request_error", "The body is not JSON.", {}, false);
  }
}

/** Applies a fault, and returns the refusal that it causes, if any. @throws ConnectionCut */
async function strike(fault: MatchedFault, left: AbortSignal): Promise<StripeRefusal | undefined> {
  try {
    await fault.strike(left);
    return undefined;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    if (fault.kind === "throttle") return rateLimited("Request rate limit exceeded.");
    return new StripeRefusal(error.status, "api_error", error.message);
  }
}

function failed(error: unknown): Answer {
  if (error instanceof StripeRefusal) return { status: error.status, body: error.body };
  console.error("The local Stripe broke:", error);
  return {
    status: 500,
    body: { error: { type: "api_error", message: `The local Stripe broke: ${(error as Error).message}` } },
  };
}
