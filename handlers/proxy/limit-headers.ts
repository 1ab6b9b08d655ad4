// Response headers that let a client see its limits before it meets them.

import { LimitRefusal } from "../../domain/budget/limit-refusal.ts";
import { remaining } from "../../domain/budget/rate-limit.ts";
import type { Limits, Spending } from "../../domain/budget/spending.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { acceptedEncodings } from "./request.ts";

/** Clients are warned above these shares of the budget, at which Claude Code shows its own warning. */
const warnings = [0.95, 0.75];

/** The headers by which a caller can do better: the limits that it met, or how a body may be compressed. */
export function refusalHeaders(refusal: Refusal): Record<string, string> {
  if (refusal.code === "encoding_unsupported") return { "accept-encoding": acceptedEncodings };
  if (!(refusal instanceof LimitRefusal)) return {};
  return limitHeaders(refusal.limits, refusal.spending, refusal.nowMicros);
}

/** `anthropic-ratelimit-requests-*`, and near the end of the budget `anthropic-ratelimit-unified-overage-*`. */
export function limitHeaders({ cap, rate }: Limits, spending: Spending, nowMicros: number): Record<string, string> {
  const full = Math.max(spending.tat, nowMicros);
  const headers: Record<string, string> = {
    "anthropic-ratelimit-requests-limit": String(rate.burst),
    "anthropic-ratelimit-requests-remaining": String(remaining(rate, spending.tat, nowMicros)),
    "anthropic-ratelimit-requests-reset": new Date(full / 1000).toISOString(),
  };
  if (!cap) return headers;
  const share = spending.spent / cap;
  const surpassed = warnings.find((threshold) => share >= threshold);
  if (surpassed === undefined) return headers;
  return {
    ...headers,
    "anthropic-ratelimit-unified-overage-utilization": share.toFixed(4),
    "anthropic-ratelimit-unified-overage-surpassed-threshold": String(surpassed),
  };
}
