// The SDK's HTTP client on a local Stripe in the same process: a request is a call of a function, so that random schedules can make many.
import type StripeSdk from "stripe";
import type { Stripe } from "../../../emulators/stripe/stripe.ts";

/** In a test nobody leaves before the answer. */
const staying = new AbortController().signal;

export function inProcess(stripe: Stripe): NonNullable<StripeSdk.StripeConfig["httpClient"]> {
  return {
    getClientName: () => "in-process",
    makeRequest: async (_host, _port, url, method, given, sent) => {
      const named = Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const request = { method, url, headers: Object.fromEntries(named), body: sent ?? "" };
      const { status, headers, body } = await stripe.answer(request, staying);
      return {
        getStatusCode: () => status,
        getHeaders: () => headers,
        getRawResponse: () => ({ headers }),
        toStream: () => body,
        toJSON: async () => JSON.parse(body),
      };
    },
  };
}
