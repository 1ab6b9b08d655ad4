// The true usage of calls whose end nobody heard, from the model host's own log of invocations, where the stack names one.
import type { LedgerTransactions } from "../budget/ledger-row.ts";
import type { Price } from "../catalog/catalog.ts";
import { cost, costParts } from "../catalog/price.ts";
import type { TokenUsage } from "../catalog/token-usage.ts";
import type { Log } from "../kernel/log.ts";
import { hourMs, monthOf, startOfHour } from "../kernel/period.ts";
import type { LedgerRow, LedgerStore } from "../ledger/ledger.ts";

/** The member of a call's metadata by which its line in the log names the request. */
export const requestMember = "archway_request";

export type InvocationSearch = { region: string; from: number; to: number; requestIds: readonly string[] };

export interface InvocationLog {
  /**
   * @returns by request, what all attempts of it have used together, with all cache writes as those of five minutes; a request that the log does
   * not have is left out
   */
  usage(search: InvocationSearch): Promise<ReadonlyMap<string, TokenUsage>>;
}

export type LoggedUsageDependencies = {
  invocations: InvocationLog;
  ledger: Pick<LedgerStore, "hour">;
  transactions: Pick<LedgerTransactions, "correct">;
  /** The price of a profile at a time (ISO 8601). */
  priceOf: (profile: string, at: string) => Price | undefined;
  log: Pick<Log, "problem">;
  clock: () => number;
};

/** A call lasts a quarter of an hour at most, and its line is in the log some minutes later. */
export const logDelayMs = hourMs;

export class LoggedUsage {
  readonly #deps: LoggedUsageDependencies;

  constructor(deps: LoggedUsageDependencies) {
    this.#deps = deps;
  }

  /**
   * Puts what the log says in place of the hour's provisional rows. May be repeated. A log that does not answer leaves the rows as they are:
   * after a day they are billed at what is known of them.
   * @returns whether a row was changed
   */
  async apply(tenantId: string, hour: string): Promise<boolean> {
    const { invocations, clock, log } = this.#deps;
    const from = startOfHour(hour);
    const to = from + hourMs + logDelayMs;
    if (clock() < to) return false;
    let changed = false;
    try {
      for (const [region, rows] of Map.groupBy(await this.#provisional(tenantId, hour), (row) => row.region)) {
        const requestIds = rows.map(({ request_id }) => request_id);
        const found = await invocations.usage({ region, from, to, requestIds });
        for (const row of rows) if (await this.#correct(row, found.get(row.request_id))) changed = true;
      }
    } catch (problem) {
      log.problem("the model host's log of invocations could not be read", { tenant_id: tenantId, hour }, problem);
    }
    return changed;
  }

  async #provisional(tenantId: string, hour: string): Promise<LedgerRow[]> {
    const found: LedgerRow[] = [];
    for await (const page of this.#deps.ledger.hour(tenantId, hour)) {
      found.push(...page.filter(({ provisional }) => provisional));
    }
    return found;
  }

  async #correct(standing: LedgerRow, logged: TokenUsage | undefined): Promise<boolean> {
    const { transactions, priceOf, clock } = this.#deps;
    const { tenant_id: tenantId, caller_id: callerId, admitted_at, profile } = standing;
    const price = priceOf(profile, admitted_at);
    if (!logged || !price) return false;
    const usage = withLifetimes(logged, standing.usage);
    const { known: _known, provisional: _provisional, ...rest } = standing;
    const truth: LedgerRow = {
      ...rest,
      ...{ usage, cost: cost(price, usage), parts: costParts(price, usage), source: "final" },
      settled_at: new Date(clock()).toISOString(),
    };
    return transactions.correct({ tenantId, callerId, month: monthOf(Date.parse(admitted_at)) }, { standing, truth });
  }
}

/**
 * The log does not say how long cache writes are kept for: five minutes, the cheaper time, unless the beginning of the answer told more of them
 * to be of an hour.
 */
function withLifetimes(logged: TokenUsage, { cache_write_1h }: TokenUsage): TokenUsage {
  const oneHour = Math.min(logged.cache_write_5m, cache_write_1h);
  return { ...logged, cache_write_5m: logged.cache_write_5m - oneHour, cache_write_1h: oneHour };
}
