// The payment provider's events, as it delivers them: signed, at least once, in any order. 200 says that an event is processed, or
// concerns no workspace of this stack, and ends its deliveries. Any status but 2xx brings the event again, for three days.

import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { PaymentEvent, PaymentEventSource } from "../../domain/billing/payment-event.ts";
import type { PaymentObjectReader } from "../../domain/billing/payment-object.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { type ReconciliationDependencies, reconcilePayments } from "../../domain/billing/reconciliation.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import { answerHeaders } from "../middleware/answer-headers.ts";
import { type ObservedEvent, observe } from "../middleware/observe.ts";
import { refuse } from "../middleware/refuse.ts";

/** Clients of the payment provider that are made from the account's secrets. */
export type OpenedAccount = { payments: PaymentProvider; events: PaymentEventSource; objects: PaymentObjectReader };

export type WebhookDependencies = Omit<ReconciliationDependencies, "payments"> & {
  /** @throws Refusal `payments_unavailable` while the secrets cannot be read, or the account is not set up */
  account: () => Promise<OpenedAccount>;
  /** Counts a delivery with a signature that is not the provider's: its secret may have been replaced. */
  refusedDelivery: () => void;
};

/** A thin event has less than 1 KB. */
const maxBodyBytes = 64 * 1024;

type Outcome = "done" | "known" | "ignored";

export function webhookHandler(deps: WebhookDependencies) {
  const { reconciliations, telemetry, log, clock } = deps;

  return middy<ObservedEvent, APIGatewayProxyStructuredResultV2>()
    .use(observe(log, clock))
    .use(refuse({ log }))
    .handler(async (received: ObservedEvent, context: Context) => {
      received.route = "POST /v1/webhooks/stripe";
      const body = bytesOf(received);
      const account = await deps.account();
      const event = verified(account.events, body, received.headers["stripe-signature"]);
      const outcome = await processEvent(account, event);
      const requestId = context.awsRequestId;
      const { id, type, objectId: object } = event;
      log.info("payment event", { request_id: requestId, event_id: id, type, object, outcome });
      return answered(outcome, requestId);
    });

  function verified(events: PaymentEventSource, body: Buffer, signature: string | undefined): PaymentEvent {
    try {
      return events.verified(body, signature, clock());
    } catch (error) {
      // A delivery without a signature is not from the provider, and must not ring an alarm.
      if (signature !== undefined) deps.refusedDelivery();
      // 400 and not 401: the provider repeats a refused event whatever the status, and no other caller has a credential to mend.
      if (error instanceof Refusal) throw new Refusal("invalid_request", error.message);
      throw error;
    }
  }

  async function processEvent({ payments, objects }: OpenedAccount, event: PaymentEvent): Promise<Outcome> {
    if (event.kind === undefined) return "ignored";
    if (event.kind === "usage_not_counted") {
      // The next total bills it; people have to see why the provider's meter or customer is not there.
      log.problem("The payment provider did not count usage", { event_id: event.id, type: event.type });
      telemetry.unbilled("not_counted", {});
      return "done";
    }
    if (await reconciliations.isDone(event.id)) return "known";
    const about = await objects.read(event);
    return about ? reconcilePayments({ ...deps, payments }, event, about) : "ignored";
  }
}

/** The body's bytes as they were signed. @throws Refusal request_too_large */
function bytesOf({ body = "", isBase64Encoded }: APIGatewayProxyEventV2): Buffer {
  // Checked before the body is decoded: base64 is a third longer.
  if (body.length <= (maxBodyBytes * 4) / 3 + 4) {
    const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
    if (bytes.length <= maxBodyBytes) return bytes;
  }
  throw fieldRefusal("request_too_large", "body", `has more than ${maxBodyBytes} bytes`);
}

function answered(outcome: Outcome, requestId: string): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: 200,
    headers: { "request-id": requestId, "content-type": "application/json", ...answerHeaders },
    body: JSON.stringify({ outcome }),
  };
}
