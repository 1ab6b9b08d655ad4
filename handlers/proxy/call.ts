// One call of the proxy: what came, and what becomes known of it step by step. Metrics and failures are told with that.
import type { Context } from "aws-lambda";
import type { Caller, Target } from "../../domain/admission.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import type { ProxyEndpoint, RequestFacts } from "../../domain/messages/telemetry.ts";
import { presentedCredentials } from "../middleware/credentials.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { bodyOf, firstHeader, originOf, viewerHost } from "./request.ts";
import type { ProxyServices } from "./services.ts";

export type ProxyCall = {
  requestId: string;
  facts: RequestFacts;
  /** Flags and fields that were left out of what the model host got. */
  dropped: string[];
  used: { keyId?: string | undefined };
  /** The `max_tokens` that was sent, if it is lower than the caller's. */
  maxTokens?: number;
  startedAt: number;
  host: string;
  headers: Record<string, string | undefined>;
  body: string;
  region: string | undefined;
  /** Milliseconds until the function must be done. */
  remainingMs: () => number;
};

/** @throws Refusal not_found for a call that did not come through the edge. */
export function callOf(
  { clock, settings }: ProxyServices,
  endpoint: ProxyEndpoint,
  event: ProxyEvent,
  context: Context,
): ProxyCall {
  const { headers } = event;
  const requestId = requestIdOf(context);
  const facts = { request_id: requestId, endpoint, ...originOf(headers, settings.headerNames) };
  const dropped: string[] = [];
  const used: ProxyCall["used"] = {};
  Object.assign(event, { facts, dropped, used });
  return {
    requestId,
    facts,
    dropped,
    used,
    startedAt: clock(),
    host: viewerHost(headers, settings.originSecretHashes),
    headers,
    body: bodyOf(event),
    region: firstHeader(headers, settings.headerNames.region),
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}

/** Steps 1 to 7. @throws Refusal */
export async function identify(
  { admission }: ProxyServices,
  { facts, used, host, headers }: ProxyCall,
): Promise<Caller> {
  const caller = await admission.identify(host, () => presentedCredentials(headers));
  facts.tenant_id = caller.tenant.tenant_id;
  facts.caller_id = caller.callerId;
  used.keyId = caller.keyId;
  return caller;
}

/** Steps 8 to 10. @throws Refusal */
export function targetOf({ admission }: ProxyServices, call: ProxyCall, caller: Caller, model: string): Target {
  const target = admission.resolveTarget(caller, model, call.region);
  call.facts.model = target.model.id;
  call.facts.region = target.region;
  return target;
}

/** A call that costs nothing has been answered. */
export function noteFinished({ clock, telemetry }: ProxyServices, { facts, startedAt }: ProxyCall): void {
  telemetry.finished(facts, { duration_ms: clock() - startedAt });
}

/** The caller was refused after its call was admitted. A rejection is not logged: it may quote the prompt. */
export function noteRefusal({ telemetry, log }: ProxyServices, { facts }: ProxyCall, refusal: Refusal): void {
  telemetry.refused(refusal.code, facts);
  if (refusal.status >= 500) log.problem(refusal.code, facts, refusal.cause ?? refusal);
}
