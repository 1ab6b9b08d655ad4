// One call of the proxy: what came, and what becomes known of it step by step. Metrics and failures are told with that.
import type { Context } from "aws-lambda";
import type { Caller, Target } from "../../domain/admission.ts";
import type { ProxyEndpoint, RequestFacts } from "../../domain/telemetry.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { bodyOf, firstOf, type ProxyEvent, sessionIdOf, viewerHost } from "./request.ts";

export type ProxyCall = {
  requestId: string;
  facts: RequestFacts;
  startedAt: number;
  host: string;
  headers: Record<string, string | undefined>;
  body: string;
  region: string | undefined;
  /** Milliseconds until the function must be done. */
  remainingMilliseconds: () => number;
};

/** @throws Refusal not_found for a call that did not come through the edge. */
export function callOf(
  is: ProxyDependencies,
  operation: ProxyEndpoint,
  event: ProxyEvent,
  context: Context,
): ProxyCall {
  const { headers } = event;
  const requestId = requestIdOf(context);
  const facts = { request_id: requestId, operation, session_id: sessionIdOf(headers, is.names) };
  event.facts = facts;
  return {
    requestId,
    facts,
    startedAt: is.clock(),
    host: viewerHost(headers, is.originSecretHashes),
    headers,
    body: bodyOf(event),
    region: firstOf(headers, is.names.regionHeaders),
    remainingMilliseconds: () => context.getRemainingTimeInMillis(),
  };
}

/** Steps 1 to 7. @throws Refusal */
export async function identify({ admission }: ProxyDependencies, { facts, host, headers }: ProxyCall): Promise<Caller> {
  const caller = await admission.identify(host, headers);
  facts.tenant_id = caller.tenant.tenant_id;
  facts.caller_id = caller.callerId;
  return caller;
}

/** Steps 8 to 10. @throws Refusal */
export function routeOf({ admission }: ProxyDependencies, call: ProxyCall, caller: Caller, model: string): Target {
  const route = admission.resolveTarget(caller, model, call.region);
  call.facts.model = route.model.id;
  call.facts.region = route.region;
  return route;
}

/** The answer of a call that costs nothing. */
export function json(
  { clock, telemetry }: ProxyDependencies,
  { facts, requestId, startedAt }: ProxyCall,
  body: object,
) {
  telemetry.finished(facts, { duration_ms: clock() - startedAt });
  return {
    statusCode: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store", "request-id": requestId },
    body: JSON.stringify(body),
  };
}
