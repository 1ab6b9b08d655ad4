import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { stripeEventSource } from "../../../adapters/stripe/payment-event-source.ts";
import type { PaymentEventSource } from "../../../domain/billing/payment-event.ts";
import { signatureOf } from "../../../emulators/stripe/deliveries.ts";
import { type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";

const signingSecret = "whsec_local";
const thin = {
  id: "evt_1",
  object: "v2.core.event",
  type: "v1.invoice.paid",
  created: "2027-01-10T12:00:00Z",
  livemode: false,
  related_object: { id: "in_1", type: "invoice", url: "/v1/invoices/in_1" },
};

let local: RunningStripe;
let events: PaymentEventSource;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  events = stripeEventSource({ secretKey: "sk_test_local", address: local.url, signingSecret });
});
afterEach(() => local.close());

describe("a delivery", () => {
  const now = Date.parse("2027-01-10T12:00:00Z");
  const verify = (
    body: string,
    { secret = signingSecret, at = now, signature = signatureOf(body, secret, now / 1000) } = {},
  ) => events.verified(Buffer.from(body), signature, at);

  test("an event delivery with a valid signature is accepted, even with an unknown type or object", () => {
    expect(verify(JSON.stringify(thin))).toEqual({
      ...{ id: "evt_1", kind: "changed", type: "v1.invoice.paid", objectId: "in_1" },
    });
    const unknown = { ...thin, type: "v1.teapot.boiled", related_object: null };
    expect(verify(JSON.stringify(unknown))).toMatchObject({ kind: undefined, type: "v1.teapot.boiled" });
  });

  test.each([
    ["forged", { secret: "whsec_other" }],
    ["stale", { at: now + 301_000 }],
    ["missing", { signature: "" }],
    ["nonsense", { signature: "t=1" }],
  ])("an event delivery with a %s signature is refused, and its content is not quoted", (_, change) => {
    const error = catching(() => verify(JSON.stringify({ ...thin, type: "SECRET" }), change));
    expect(error).toMatchObject({ code: "credential_invalid" });
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain("SECRET");
  });

  test("an event delivery that was changed on its way is refused", () => {
    const signature = signatureOf(JSON.stringify(thin), signingSecret, now / 1000);
    expect(catching(() => verify(JSON.stringify({ ...thin, id: "evt_2" }), { signature }))).toMatchObject({
      code: "credential_invalid",
    });
  });

  test.each(["no JSON", "[]", JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", data: {} })])(
    "a signed delivery that is not a thin event is refused: %s",
    (body) => expect(catching(() => verify(body))).toMatchObject({ code: "invalid_request" }),
  );

  test("an event delivery signed as the SDK signs is accepted", () => {
    const payload = JSON.stringify(thin);
    const signature = StripeSdk.webhooks.generateTestHeaderString({
      payload,
      secret: signingSecret,
      timestamp: now / 1000,
    });
    expect(verify(payload, { signature }).id).toBe("evt_1");
  });
});

function catching(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
