// The telemetry of the proxy: what its operators learn of each request. Never a prompt, an answer or a credential.
import type { UsageSource } from "../catalog/token-usage.ts";
import type { RefusalCode } from "../kernel/refusal.ts";

/** Facts of a request, as far as they are known: a call without a valid credential has no caller. */
export type RequestFacts = {
  request_id: string;
  endpoint?: ProxyEndpoint;
  session_id?: string | undefined;
  /** The subagent of a session. */
  agent_id?: string | undefined;
  tenant_id?: string;
  caller_id?: string;
  model?: string;
  region?: string;
  source?: UsageSource;
};

export type ProxyEndpoint = "messages" | "count_tokens" | "models";

/** Numbers of one request: tokens by kind, `cost_nano_usd`, `first_byte_ms`, `duration_ms`. */
export type RequestMeasures = Record<string, number>;

export interface Telemetry {
  /** A finished request: one line of the log that is its metrics too. */
  finished(facts: RequestFacts, measures: RequestMeasures): void;
  /** A call that was refused, or failed while it was answered, by the refusal's code. */
  refused(code: RefusalCode, facts: RequestFacts): void;
  /** The model refused one of these beta flags: the catalog's capability table wants another entry. */
  flagsRefused(flags: readonly string[], facts: RequestFacts): void;
  /** The model does not know one of these fields of the body, which were left out. */
  fieldsRefused(fields: readonly string[], facts: RequestFacts): void;
  /** The model host had no room for the call in this region, and the call goes to another one. */
  regionShort(facts: RequestFacts): void;
}
