// One call of the proxy: the request that came, and what becomes known of it step by step. Metrics and the log tell of both.
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Caller, Target } from "../../domain/admission.ts";
import { isStackAlias } from "../../domain/catalog/catalog.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { saysRetired } from "../../domain/messages/model-host.ts";
import type { ProxyEndpoint, RequestFacts } from "../../domain/messages/telemetry.ts";
import { presentedCredentials } from "../middleware/credentials.ts";
import { statusOf } from "../middleware/refusal-form.ts";
import { firstHeader, originOf, viewerHost } from "./request.ts";
import type { ProxyServices } from "./services.ts";

export type ProxyCall = {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly headers: Record<string, string | undefined>;
  /** Milliseconds until the function must be done. */
  readonly remainingMs: () => number;
  readonly facts: RequestFacts;
  /** Flags and fields that were left out of what the model host got. */
  readonly dropped: string[];
  /** The model that answers, if the caller named it by the stack's own name. */
  standIn?: string;
  /** The region that the call went to in place of its own. */
  movedTo?: string;
  /** Whether the caller has its status: from then on the call is not repeated without what the model host refuses. */
  hasStatus?: boolean;
  /** The `max_tokens` that was sent, if it is lower than the caller's. */
  maxTokens?: number;
  /** The API key that the call came with, once the caller is identified. */
  keyId?: string | undefined;
  /** The admitted call, which must be settled before the invocation ends. */
  inFlight?: { settle(end: object): Promise<void> };
};

/** The event of the function URL, with the call that it begins. */
export type ProxyEvent = APIGatewayProxyEventV2 & { call: ProxyCall };

export function callOf({ headers }: APIGatewayProxyEventV2, context: Context, startedAt: number): ProxyCall {
  const requestId = context.awsRequestId;
  return {
    requestId,
    startedAt,
    headers,
    remainingMs: () => context.getRemainingTimeInMillis(),
    facts: { request_id: requestId },
    dropped: [],
  };
}

/**
 * Finds out who calls: steps 1 to 7 of the admission.
 * @throws Refusal tenant_unknown for a call that did not come through the edge, and what the admission refuses with
 */
export async function identify(
  { admission, settings }: ProxyServices,
  call: ProxyCall,
  endpoint: ProxyEndpoint,
): Promise<Caller> {
  const { facts, headers } = call;
  Object.assign(facts, { endpoint, ...originOf(headers, settings.headerNames) });
  const host = viewerHost(headers, settings.originSecretHashes);

  const caller = await admission.identify(host, () => presentedCredentials(headers));
  facts.tenant_id = caller.tenant.tenant_id;
  facts.caller_id = caller.callerId;
  call.keyId = caller.keyId;
  return caller;
}

/** Finds the model and the region that are called: steps 8 to 10 of the admission. @throws Refusal */
export function targetOf(
  { admission, settings }: ProxyServices,
  call: ProxyCall,
  caller: Caller,
  model: string,
): Target {
  const { facts, headers, startedAt } = call;
  const target = admission.resolveTarget(caller, model, firstHeader(headers, settings.headerNames.region), startedAt);
  if (isStackAlias(target.model, model)) call.standIn = target.model.id;
  facts.model = target.model.id;
  facts.region = target.region;
  return target;
}

/** Reports a call that was answered and costs nothing. */
export function noteFinished({ clock, telemetry }: ProxyServices, { facts, startedAt }: ProxyCall): void {
  telemetry.finished(facts, { duration_ms: clock() - startedAt });
}

/** Reports a refusal. The log has what is for the operator alone: what a caller did wrong may quote its prompt. */
export function noteRefusal({ telemetry, log }: ProxyServices, { facts }: ProxyCall, refusal: Refusal): void {
  telemetry.refused(refusal.code, facts);
  if (statusOf(refusal.code) >= 500 || saysRetired(refusal.cause)) {
    log.problem(refusal.code, facts, refusal.cause ?? refusal);
  }
}
