// The client of Stripe's SDK, and the translation of its errors. No message contains a key or anything that was sent.
import Stripe from "stripe";
import { PaymentError } from "../../domain/billing/payment-provider.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";

export type StripeOptions = {
  secretKey: string;
  /** An address other than Stripe's own, e.g. `http://127.0.0.1:8787/@stripe`, for tests and for setting up a local stack. */
  address?: string | undefined;
  /** Reaches Stripe without a connection, for tests that make many calls. */
  httpClient?: Stripe.StripeConfig["httpClient"];
  /** Time-out of one call, by default ten seconds. */
  timeoutMs?: number | undefined;
};

const defaultTimeoutMs = 10_000;
const replayed = "idempotent-replayed";

export function stripeClient({ secretKey, address, httpClient, timeoutMs = defaultTimeoutMs }: StripeOptions): Stripe {
  return new Stripe(secretKey, {
    // The SDK still repeats a call whose connection was closed, under the same idempotency key. Anything else that fails is tried again
    // by the job or the request it belongs to (docs/architecture.md, "A call to Stripe").
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    ...(httpClient && { httpClient }),
    ...(address !== undefined && { httpClient: Stripe.createFetchHttpClient(at(address)) }),
  });
}

function at(address: string) {
  return (url: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url);
    return fetch(`${address.replace(/\/$/, "")}${pathname}${search}`, init);
  };
}

/**
 * Runs calls to Stripe and translates their errors.
 * @throws Refusal `payments_unavailable` if the outcome is unknown, or Stripe asks to wait; PaymentError if Stripe refused
 */
export async function call<T>(operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw translated(operation, error);
  }
}

/** Whether Stripe refused a call with this code. The error may be translated already. */
export function isRefused(error: unknown, code: string): boolean {
  return (error instanceof Stripe.errors.StripeError || error instanceof PaymentError) && error.code === code;
}

/** Whether Stripe refused a call because of this parameter. */
export function isRefusedParameter(error: unknown, name: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param?.split("[")[0] === name;
}

/** For `catch`: undefined if Stripe does not know the object, e.g. since it was deleted. Throws every other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!isRefused(error, "resource_missing")) throw error;
}

/** Whether Stripe repeats the stored answer of an idempotency key, as it does for a day (docs.stripe.com/api/idempotent_requests). */
export function isReplay(answer: object): boolean {
  const { lastResponse } = answer as { lastResponse?: { headers: Headers | Record<string, string> } };
  const headers = lastResponse?.headers;
  // The SDK passes on the headers of its HTTP client: fetch's, or Node's.
  return (headers instanceof Headers ? headers.get(replayed) : headers?.[replayed]) === "true";
}

/** Whether the stored answer of an idempotency key is a 500. */
export function isReplayedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeAPIError)) return false;
  return (error.headers as Record<string, string> | undefined)?.[replayed] === "true";
}

/** Stripe has no code for mixed currencies, only this message (github.com/Automattic/woocommerce-payments/issues/7732). */
function codeOf({ message, type }: InstanceType<typeof Stripe.errors.StripeError>): string {
  return message.startsWith("You cannot combine currencies") ? "currency_mismatch" : type;
}

function translated(operation: string, error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode = 0, code, type, param, requestId } = error;
  // 409: Stripe is processing another request with this key, or on this object.
  if (statusCode === 0 || statusCode >= 500 || statusCode === 429 || statusCode === 409) {
    return new Refusal("payments_unavailable", "The payment provider did not answer. Try again in a moment.", {
      // Stripe's own error stays out of the log, since its headers and message may contain what was sent.
      cause: new Error(`${operation}: ${code ?? type} (${statusCode}, ${requestId ?? "no request id"})`),
    });
  }
  return new PaymentError(operation, { code: code ?? codeOf(error), param, requestId });
}
