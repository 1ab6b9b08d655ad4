// The SDK's client, and what its errors are for the product. Nothing of a key or of what was sent gets into a message.
import Stripe from "stripe";
import { PaymentError } from "../../domain/billing/payment-provider.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";

export type StripeOptions = {
  secretKey: string;
  /** Another address than Stripe's own, e.g. `http://127.0.0.1:8787/@stripe`, for tests and for setting up a local stack. */
  address?: string | undefined;
  /** For one call; ten seconds unless given. */
  timeoutMs?: number | undefined;
};

/** A call is made once; the SDK itself repeats one whose connection was closed, under the same idempotency key. */
const defaultTimeoutMs = 10_000;
const retryAfterSeconds = 10;
const replayed = "idempotent-replayed";

export function stripeClient({ secretKey, address, timeoutMs = defaultTimeoutMs }: StripeOptions): Stripe {
  return new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
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
 * What `act` gives.
 * @throws Refusal `payments_unavailable` if nobody knows the outcome, or Stripe asks to wait; PaymentError if it refused
 */
export async function call<T>(operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw translated(operation, error);
  }
}

/** What the provider calls an error's kind, for whoever tells apart what it refuses. */
export function isRefused(error: unknown, ...codes: string[]): boolean {
  return error instanceof Stripe.errors.StripeError && codes.includes(error.code ?? "");
}

/** An answer that an idempotency key has kept, and gives for a day (docs.stripe.com/api/idempotent_requests). */
export function isReplay(answer: object): boolean {
  const { lastResponse } = answer as { lastResponse?: { headers: Headers | Record<string, string> } };
  const headers = lastResponse?.headers;
  // The SDK gives what its HTTP client has: fetch's headers, or Node's.
  return (headers instanceof Headers ? headers.get(replayed) : headers?.[replayed]) === "true";
}

/** A kept answer that is a 500. */
export function isReplayedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeAPIError)) return false;
  return (error.headers as Record<string, string> | undefined)?.[replayed] === "true";
}

/** Stripe has no code for it, and these words (github.com/Automattic/woocommerce-payments/issues/7732). */
function codeOf({ message, type }: InstanceType<typeof Stripe.errors.StripeError>): string {
  return message.startsWith("You cannot combine currencies") ? "currency_mismatch" : type;
}

function translated(operation: string, error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode = 0, code, type, param, requestId } = error;
  // 409: another request with this key, or on this object, is being worked on.
  if (statusCode === 0 || statusCode >= 500 || statusCode === 429 || statusCode === 409) {
    return new Refusal("payments_unavailable", "The payment provider did not answer. Try again in a moment.", {
      retryAfterSeconds,
      // Without Stripe's own error: its headers and words stay out of the log.
      cause: new Error(`${operation}: ${code ?? type} (${statusCode}, ${requestId ?? "no request id"})`),
    });
  }
  return new PaymentError(operation, { code: code ?? codeOf(error), param, requestId });
}
