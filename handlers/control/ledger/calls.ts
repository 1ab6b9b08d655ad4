// Single calls over HTTP, without what was asked and answered. The owner sees those of all callers, a developer their own.
import { usdNumber } from "../../../domain/kernel/money.ts";
import { callsOf } from "../../../domain/ledger/calls.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { withinAllowance } from "../../../domain/ledger/usage-allowance.ts";
import { ledgerRange } from "../../../domain/ledger/usage-range.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { callRoutes } from "./calls.routes.ts";
import { visibleCaller } from "./visible-caller.ts";

type Dependencies = Pick<ControlDependencies, "ledger" | "clock" | "questionAllowances">;

export function callOperations(deps: Dependencies): Operations<typeof callRoutes> {
  return {
    async listCalls({ caller, query: { page, filter } }) {
      const { from, to, caller_id, key_id, session_id, request_id } = filter;
      const question = {
        tenantId: caller.tenantId,
        range: ledgerRange({ from, to }, deps.clock()),
        filter: {
          callerId: visibleCaller(caller, caller_id),
          keyId: key_id,
          sessionId: session_id,
          requestId: request_id,
        },
        ...page,
      };
      const answer = await withinAllowance(deps.questionAllowances, caller.sub, () => callsOf(deps, question));
      return pageAnswer({ items: answer.items.map(shown), next: answer.next });
    },
  };
}

function shown(row: LedgerRow) {
  const { request_id, caller_id, key_id, session_id, agent_id, admitted_at, settled_at, model, region } = row;
  const { usage, cost, parts, source, provisional, on_credit } = row;
  return {
    ...{ request_id, caller_id, key_id, session_id, agent_id, admitted_at, settled_at, model, region, source },
    is_provisional: provisional === true,
    on_credit: on_credit === true,
    cost_usd: usdNumber(cost),
    ...(parts && {
      input_cost_usd: usdNumber(parts.input),
      output_cost_usd: usdNumber(parts.output),
      cache_read_cost_usd: usdNumber(parts.cache_read),
      cache_write_5m_cost_usd: usdNumber(parts.cache_write_5m),
      cache_write_1h_cost_usd: usdNumber(parts.cache_write_1h),
      saved_usd: usdNumber(parts.saved),
    }),
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cache_read,
    cache_write_5m_tokens: usage.cache_write_5m,
    cache_write_1h_tokens: usage.cache_write_1h,
  };
}
