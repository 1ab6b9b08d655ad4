// Writes to the ledger, to a caller's spending and, for tenants on free credit, to the credit. Each is one transaction;
// docs/decisions/0015 says why each condition is needed.

import type { LedgerTransactions } from "../../../domain/budget/ledger-row.ts";
import { outcomeAtBounds } from "../../../domain/budget/ledger-row.ts";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type { SpendingKey } from "../../../domain/budget/spending.ts";
import { totalTokens } from "../../../domain/catalog/token-usage.ts";
import { hourOf } from "../../../domain/kernel/period.ts";
import { billable, knownUsage, type LedgerRow } from "../../../domain/ledger/ledger.ts";
import { ledgerItem } from "../ledger/ledger.ts";
import { adjustmentItem } from "../metering/hour-reports.ts";
import { reportRecord } from "../metering/report.record.ts";
import type { Rows } from "../rows.ts";
import { absent, type Write } from "../write.ts";
import { slicesOf } from "./allowances.ts";
import { creditRecord } from "./credit.record.ts";
import { creditCorrection, creditSettlement } from "./credit-expressions.ts";
import { spendingRecord } from "./spending.record.ts";
import { correction, settlement, type Update } from "./spending-expressions.ts";

type UpdateParts = Omit<Update, "ConditionExpression"> & { ConditionExpression?: string };

export function ledgerTransactions(rows: Rows): LedgerTransactions {
  const updateSpending = ({ tenantId, callerId, month }: SpendingKey, update: UpdateParts): Write => ({
    Update: { Key: spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }), ...update },
  });
  const updateCredit = ({ tenantId }: SpendingKey, update: Update): Write => ({
    Update: { Key: creditRecord.key({ tenant_id: tenantId }), ...update },
  });
  const putNew = (row: LedgerRow): Write => ({
    Put: { Item: ledgerItem(row), ...absent },
  });
  /** Replaces a provisional row, if it still stands at the cost at which it was read. */
  const replace = (standing: LedgerRow, row: LedgerRow): Write => ({
    Put: {
      Item: ledgerItem(row),
      ConditionExpression: "provisional = :true AND cost = :cost",
      ExpressionAttributeValues: { ":true": true, ":cost": standing.cost },
    },
  });

  /**
   * Writes all items or none. If the credit is gone, its tenant was purged, and the rest is written without it.
   * @returns the position of the first item whose condition failed
   */
  async function write(items: Write[], credit: Write | undefined): Promise<number | undefined> {
    if (!credit) return rows.transact(items);
    const failed = await rows.transact([...items, credit]);
    return failed === items.length ? rows.transact(items) : failed;
  }

  /** Books the reservation at its amount. Its windows keep what it held of them. */
  const settled = (key: SpendingKey, reservation: Reservation) => {
    const tokens = creditTokensOf(reservation);
    return {
      spending: updateSpending(key, settlement({ reservation, cost: reservation.amount, windowed: "held" })),
      credit: tokens > 0 ? updateCredit(key, creditSettlement(reservation, tokens)) : undefined,
    };
  };

  /**
   * The part of a bound that the owner's allowance got back with the hour's report (domain/metering/closing.ts): the caller's slices
   * are less by that, if it ever drew one, since the correction gives back the rest.
   */
  async function givenBack({ tenantId, callerId, month }: SpendingKey, standing: LedgerRow): Promise<number> {
    if (standing.on_credit || standing.on_platform) return 0;
    const { allowance } = slicesOf(
      await rows.get(spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month })),
    );
    return allowance === undefined ? 0 : standing.cost - knownUsage(standing).cost;
  }

  /**
   * Books the difference; another attempt's reservation goes with it.
   * @param back what the caller's slices are less by
   */
  const corrected = (
    key: SpendingKey,
    standing: LedgerRow,
    truth: LedgerRow,
    own: Reservation | undefined,
    back = 0,
  ) => {
    const difference = truth.cost - standing.cost;
    const tokens = standing.on_credit ? totalTokens(truth.usage) - totalTokens(standing.usage) : 0;
    const drawn = own && creditTokensOf(own) > 0 ? own : undefined;
    const ofCredit = drawn ? creditSettlement(drawn, tokens) : tokens !== 0 ? creditCorrection(tokens) : undefined;
    return {
      // A settlement at the difference takes the reservation away, and books no more than that.
      spending: updateSpending(
        key,
        own
          ? settlement({ reservation: own, cost: difference, back, windowed: "nothing" })
          : correction(difference, back),
      ),
      credit: ofCredit && updateCredit(key, ofCredit),
    };
  };

  return {
    async reclaim(key, reservation, provisional) {
      const { spending, credit } = settled(key, reservation);
      return (await write([putNew(provisional), spending], credit)) === undefined;
    },

    async reclaimAgain(key, reservation, standing) {
      const { spending, credit } = settled(key, reservation);
      return (await write([replace(standing, withBoth(standing, reservation)), spending], credit)) === undefined;
    },

    async correct(key, { standing, truth }, own) {
      const row = finalOf(standing, truth, own);
      const { spending, credit } = corrected(key, standing, truth, own);
      const hour = hourOf(Date.parse(standing.admitted_at));
      const unreported: Write = {
        ConditionCheck: {
          Key: reportRecord.key({ tenant_id: standing.tenant_id, hour }),
          ...absent,
        },
      };
      const failed = await write([unreported, replace(standing, row), spending], credit);
      if (failed !== 0) return failed === undefined;
      // The hour's report has the row as it stood. It stays as it is, and the difference goes into the next report.
      const adjustment: Write = { Put: { Item: adjustmentItem(adjustmentOf(standing, row, hour)) } };
      const back = await givenBack(key, standing);
      const billed = billable(standing).cost;
      const reported = replace(standing, { ...row, billed, ...(back > 0 && { given_back: back }) });
      const late = corrected(key, standing, truth, own, back);
      return (await write([adjustment, reported, late.spending], late.credit)) === undefined;
    },
  };
}

/** The provisional row for two attempts that may both have called the model host. */
function withBoth(standing: LedgerRow, reservation: Reservation): LedgerRow {
  const { usage, cost } = standing;
  const { amount, bounds } = reservation;
  const both = { ...usage, input: usage.input + bounds.input, output: usage.output + bounds.output };
  const [one, other] = [knownUsage(standing), knownUsage(outcomeAtBounds(reservation))];
  const known = { cost: one.cost + other.cost, tokens: one.tokens + other.tokens };
  return { ...standing, usage: both, cost: cost + amount, known };
}

/** The final row that takes the place of the one that stands. */
function finalOf(standing: LedgerRow, truth: LedgerRow, own: Reservation | undefined): LedgerRow {
  const { on_credit: _onCredit, on_platform: _onPlatform, provisional: _provisional, ...rest } = truth;
  return {
    ...rest,
    admitted_at: standing.admitted_at,
    version: own?.version ?? standing.version,
    ...(standing.on_credit && { on_credit: true as const }),
    ...(standing.on_platform && { on_platform: true as const }),
  };
}

/** The difference for the next report. It is 0 for usage that free credit paid, which no report has: only the rollup is computed again. */
function adjustmentOf(standing: LedgerRow, row: LedgerRow, hour: string) {
  const { tenant_id, request_id, on_credit } = standing;
  return {
    tenant_id,
    id: request_id,
    hour,
    difference: on_credit ? 0 : billable(row).cost - billable(standing).cost,
  };
}
