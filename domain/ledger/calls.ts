// Single calls of a workspace, newest first, out of the ledger: who called which model when, and what it cost. What was asked and answered is kept nowhere.
import { dayMs, hourMs, hourOf } from "../kernel/period.ts";
import type { LedgerRow, LedgerStore } from "./ledger.ts";
import type { UsageRange } from "./usage-range.ts";
import { maxRows, tooMuch } from "./usage-reader.ts";

/** All calls that are not excluded by a named field. */
export type CallFilter = {
  callerId?: string | undefined;
  keyId?: string | undefined;
  sessionId?: string | undefined;
  requestId?: string | undefined;
};

export type CallQuestion = {
  tenantId: string;
  /** The time of the calls, at most a day. */
  range: UsageRange;
  filter: CallFilter;
  limit: number;
  /** The place of the last call of the previous page. */
  after?: string | undefined;
};

export type CallAnswer = { items: LedgerRow[]; next: string | undefined; rowsRead: number };

type Dependencies = { ledger: Pick<LedgerStore, "hour">; clock: () => number };

/** @throws Refusal invalid_request if more rows are to be read than one answer can */
export async function callsOf({ ledger, clock }: Dependencies, question: CallQuestion): Promise<CallAnswer> {
  const { tenantId, range, filter, limit, after } = question;
  const found: LedgerRow[] = [];
  let rowsRead = 0;
  for (const hour of hoursBackwards(range, clock(), after)) {
    const ofHour: LedgerRow[] = [];
    for await (const page of ledger.hour(tenantId, hour, filter.requestId)) {
      rowsRead += page.length;
      if (rowsRead > maxRows) throw tooMuch(true);
      ofHour.push(...page.filter((row) => isAsked(row, filter) && (after === undefined || placeOf(row) < after)));
      // An hour may have more rows than fit into memory, so older ones are dropped on the way.
      if (ofHour.length > 2 * limit) keepNewest(ofHour, limit + 1);
    }
    keepNewest(ofHour, limit + 1);
    found.push(...ofHour);
    if (found.length > limit) break;
  }
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last ? placeOf(last) : undefined, rowsRead };
}

function isAsked(row: LedgerRow, { callerId, keyId, sessionId, requestId }: CallFilter): boolean {
  return (
    (callerId === undefined || row.caller_id === callerId) &&
    (keyId === undefined || row.key_id === keyId) &&
    (sessionId === undefined || row.session_id === sessionId) &&
    (requestId === undefined || row.request_id === requestId)
  );
}

/** Times in ISO 8601 sort as text, and the id tells apart what came in one millisecond. */
function placeOf({ admitted_at, request_id }: LedgerRow): string {
  return `${admitted_at}#${request_id}`;
}

function keepNewest(rows: LedgerRow[], most: number): void {
  rows.sort((one, other) => (placeOf(one) > placeOf(other) ? -1 : 1));
  rows.splice(most);
}

/** The hours of the range that are not yet to come, newest first, from that of the previous page's last call on. */
function hoursBackwards({ from, to }: UsageRange, now: number, after: string | undefined): string[] {
  const end = Math.min(to, from + dayMs);
  const hours: string[] = [];
  for (let time = from; time < end && time <= now; time += hourMs) hours.push(hourOf(time));
  return hours.filter((hour) => after === undefined || hour <= after).toReversed();
}
