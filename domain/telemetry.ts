// What the proxy says of each request to its operators: facts by name, never a prompt, an answer or a credential.
import type { UsageSource } from "./usage.ts";

export type RequestFacts = {
  request_id: string;
  operation: "messages" | "count_tokens" | "models";
  tenant_id: string;
  caller_id: string;
  session_id?: string | undefined;
  model?: string;
  region?: string;
  source?: UsageSource;
};

/** Numbers of one request: tokens by kind, `cost_nano_usd`, `first_byte_ms`, `duration_ms`. */
export type RequestMeasures = Record<string, number>;

export interface Telemetry {
  /** A finished request: one line of the log that is its metrics too. */
  finished(facts: RequestFacts, measures: RequestMeasures): void;
  /** A call that was refused, by the refusal's code. */
  refused(code: string, requestId: string): void;
}
