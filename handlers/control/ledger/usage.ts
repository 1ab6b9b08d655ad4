// Usage over HTTP. The owner sees all callers of the workspace, a developer only their own calls.
import { promptTokens } from "../../../domain/catalog/token-usage.ts";
import { type NanoUsd, usdNumber } from "../../../domain/kernel/money.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { costOfNoKind } from "../../../domain/ledger/rollup.ts";
import { withinAllowance } from "../../../domain/ledger/usage-allowance.ts";
import { callGroupings, type UsageRow } from "../../../domain/ledger/usage-groups.ts";
import { ledgerRange, rollupRange } from "../../../domain/ledger/usage-range.ts";
import { UsageReader } from "../../../domain/ledger/usage-reader.ts";
import { CreditDraw } from "../../../domain/metering/credit-draw.ts";
import { pricedByMonth } from "../../../domain/reporting/billing-total.ts";
import { billedNano } from "../../../domain/reporting/quantity.ts";
import { noteRead } from "../../../domain/workspace/platform-read.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { groupCursor, groupOf } from "../routing/list-query.ts";
import type { ControlRequest, Operations } from "../routing/operation.ts";
import type { usageRoutes } from "./usage.routes.ts";
import { visibleCaller } from "./visible-caller.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("rollups" | "ledger" | "progress" | "firstCalls" | "clock" | "billing" | "settings")
  | ("audit" | "newId" | "tenants" | "questionAllowances")
>;
/** The workspace, and if set the one caller, whose usage is asked for. */
type Asked = { tenantId: string; callerId: string | undefined };
type Query = ControlRequest<typeof usageRoutes.getUsage>["query"];

/** Gives a row's amount at the platform's prices. */
type Billed = (due: UsageRow["due"]) => NanoUsd;

export function usageOperations(deps: Dependencies): Operations<typeof usageRoutes> {
  const reader = new UsageReader(deps);

  return {
    getUsage: async ({ caller, query }) => {
      return answerTo(
        caller.sub,
        { tenantId: caller.tenantId, callerId: visibleCaller(caller, query.caller_id) },
        query,
      );
    },

    async getTenantUsage({ caller, parameters: { id }, query }) {
      if (!(await deps.tenants.get(id))) throw new Refusal("not_found", `id: there is no workspace ${id} here`);
      await noteRead(deps, caller, id, "tenant.read_usage");
      return answerTo(caller.sub, { tenantId: id, callerId: query.caller_id }, query);
    },
  };

  /** @param asker sub of the person who pays for the answer */
  async function answerTo(asker: string, { tenantId, callerId }: Asked, query: Query) {
    const { by, limit, cursor } = query;
    const isByCall = by.some((one) => callGroupings.some((other) => one === other));
    const rangeOf = isByCall ? ledgerRange : rollupRange;
    const range = rangeOf(query, deps.clock());
    const after = groupOf(cursor, by.length);
    const [credit, total] = await Promise.all([deps.billing.credit(tenantId), deps.billing.total(tenantId)]);
    const credits = () => {
      const draw = new CreditDraw(credit);
      return (row: LedgerRow) => draw.add(row).credit;
    };
    // A file has rows alone.
    const withTotals = query.totals && query.format === "json";
    const answer = await withinAllowance(deps.questionAllowances, asker, () =>
      reader.read({ tenantId, range, by, callerId, limit, after, credits, withTotals }),
    );
    const { markup } = deps.settings;
    const billed: Billed = (due) => (markup === undefined ? 0 : billedNano(pricedByMonth(due, total?.markups, markup)));
    return {
      data: answer.rows.map((row) => shown(row, isByCall ? undefined : billed)),
      ...(answer.totals && { totals: shown(answer.totals, isByCall ? undefined : billed) }),
      ...(answer.next && { next_cursor: groupCursor(answer.next) }),
      from: iso(range.from),
      to: iso(range.to),
      as_of: iso(answer.asOf),
      ...(answer.openSince !== undefined && { open_since: iso(answer.openSince) }),
      complete: answer.isComplete,
    };
  }
}

/** @param billed undefined where nobody knows what free credit paid of the row */
function shown(row: UsageRow, billed: Billed | undefined) {
  const { month, day, hour, caller_id, model, key_id, agent_id, session_id } = row;
  const { requests, estimated_requests, cost, billable_cost, credit, due, estimated_cost, saved } = row;
  const { input, output, cache_read, cache_write_5m, cache_write_1h } = row;
  const ofNoKind = costOfNoKind(row);
  const prompt = promptTokens(row);
  return {
    ...{ month, day, hour, caller_id, model, requests, estimated_requests },
    // Calls with a token, and those whose tool names no agent or session, are in the group without one.
    ...(key_id && { key_id }),
    ...(agent_id && { agent_id }),
    ...(session_id && { session_id }),
    cost_usd: usdNumber(cost),
    billable_cost_usd: usdNumber(billable_cost),
    ...(billed && { credit_usd: usdNumber(credit), billed_usd: usdNumber(billed(due)) }),
    estimated_cost_usd: usdNumber(estimated_cost),
    input_cost_usd: usdNumber(row.input_cost),
    output_cost_usd: usdNumber(row.output_cost),
    cache_read_cost_usd: usdNumber(row.cache_read_cost),
    cache_write_5m_cost_usd: usdNumber(row.cache_write_5m_cost),
    cache_write_1h_cost_usd: usdNumber(row.cache_write_1h_cost),
    no_kind_cost_usd: usdNumber(ofNoKind),
    ...((ofNoKind < cost || cost === 0) && { saved_usd: usdNumber(saved) }),
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cache_read,
    cache_write_5m_tokens: cache_write_5m,
    cache_write_1h_tokens: cache_write_1h,
    ...(prompt > 0 && { cached_share: Math.round((cache_read / prompt) * 10_000) / 10_000 }),
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
