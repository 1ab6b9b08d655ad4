// Whatever goes wrong, and in whatever order: what the model host counted is what is settled, once. ARCHWAY_CHAOS sets how
// many random schedules are played, ARCHWAY_CHAOS_SEED which.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf } from "../../../adapters/dynamodb/budget/spending-expressions.ts";
import { rollupRecord } from "../../../adapters/dynamodb/ledger/rollup.record.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { cost, priceAt } from "../../../domain/catalog/price.ts";
import type { TokenUsage } from "../../../domain/catalog/token-usage.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import type { Rollup } from "../../../domain/ledger/rollup.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, ledgerSince, partition, runMeter } from "../../support/accounting/accounting.ts";
import { usageBy } from "../../support/accounting/usage-by.ts";
import { play, type Schedule, type Seen, schedules } from "../../support/chaos.ts";
import { type Account, countedUsage, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { sizes } from "../../support/sizes.ts";

const count = sizes.chaos;
const seed = Number(process.env.ARCHWAY_CHAOS_SEED ?? 20261121);
/** To play one that failed again without those before it. */
const first = Number(process.env.ARCHWAY_CHAOS_FIRST ?? 0);
const hourMs = 3_600_000;
const catalog = parseCatalog(catalogData);

type Caller = Account & { tenantId: string; slug?: string };

let stack: Stack;
let callers: Caller[];
let startedAt: number;
/** All rows of the ledgers so far, by request id. */
const settled = new Map<string, LedgerRow>();

beforeAll(async () => {
  stack = await startSeeded();
  startedAt = stack.clock.now();
  const tenantId = stack.demo?.tenant_id ?? "";
  callers = [
    { ...(await openAccount(stack, { max_in_flight: 200 })), tenantId },
    { ...(await openAccount(stack, { max_in_flight: 200 })), tenantId },
    await freeCaller(),
  ];
});
afterAll(() => stack.stop());

/** A caller of a workspace that lives on its free credit. */
async function freeCaller(): Promise<Caller> {
  const owner = await signUp(stack, "owner@free.example");
  const { tenant_id: tenantId, slug } = await openWorkspace(stack, owner, "Free");
  const grant = {
    allowed_models: ["*"],
    allowed_regions: ["eu-central-1"],
    monthly_budget_usd: 1_000,
    max_in_flight: 200,
    rate_limit: { burst: 10_000, per_minute: 1_200 },
  };
  const input = { name: "free", kind: "service_account", grant };
  const made = await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/keys", input);
  const { key, caller_id: callerId } = made as { key: string; caller_id: string };
  return { key, callerId, openedAt: startedAt, tenantId, slug };
}

const tenants = () => [...new Set(callers.map(({ tenantId }) => tenantId))];

/** The rows that are in the ledgers since the last call. */
async function newRows(since: number): Promise<LedgerRow[]> {
  const added: LedgerRow[] = [];
  for (const tenantId of tenants()) {
    const rows = await ledgerSince(stack, since, tenantId);
    added.push(...rows.filter(({ request_id }) => !settled.has(request_id)));
  }
  for (const row of added) settled.set(row.request_id, row);
  return added;
}

/** Every month since the start. */
function months(): string[] {
  const found = new Set<string>();
  for (let time = startedAt; time <= stack.clock.now(); time += 24 * hourMs) found.add(monthOf(time));
  return [...found.add(monthOf(stack.clock.now()))];
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const tokensOf = (usage: TokenUsage) => sum(Object.values(usage));
const covers = (row: TokenUsage, counted: TokenUsage) =>
  row.output >= counted.output && tokensOf(row) - row.output >= tokensOf(counted) - counted.output;

/** Says what is wrong with what a client saw, if anything. */
function complaint({ asked, status, text = "", requestId, error }: Seen, { killsAt }: Schedule): string | undefined {
  const mayBreak = asked.leavesAfter !== undefined || killsAt.length > 0;
  if (/arn:aws|ar_live_/.test(text)) return "an answer tells of the inside";
  if (error !== undefined) return mayBreak ? undefined : `the connection broke: ${error}`;
  if (status === 200 && !asked.stream) return JSON.parse(text).type === "message" ? undefined : "another answer";
  if (status === 200) {
    return /"type":"(message_stop|error)"/.test(text.slice(text.lastIndexOf("event: "))) || mayBreak
      ? undefined
      : "a stream that ends silently";
  }
  if (killsAt.length > 0) return undefined;
  const body = JSON.parse(text);
  return body.type === "error" && body.request_id === requestId && status !== 500
    ? undefined
    : `a bad refusal: ${text}`;
}

/**
 * Each call that the host counted is in the rows, once: as it was counted, or estimated at no less. A row of nothing is of a call
 * that the host refused after an answer of the store was lost: it stops what may still take effect (decision 15).
 */
function settlementComplaints(rows: LedgerRow[]): string[] {
  const complaints: string[] = [];
  const counted = stack.bedrock
    .requests()
    .filter(({ usage }) => usage)
    .map(countedUsage);
  const left = [...counted];
  for (const row of rows.filter(({ source, usage }) => source !== "estimated" && tokensOf(usage) > 0)) {
    const index = left.findIndex((usage) => JSON.stringify(sorted(usage)) === JSON.stringify(sorted(row.usage)));
    if (index < 0) complaints.push(`a row that the host never counted: ${JSON.stringify(row)}`);
    else left.splice(index, 1);
  }
  const estimated = rows.filter(({ source }) => source === "estimated").map(({ usage }) => usage);
  for (const usage of left.toSorted((one, other) => tokensOf(other) - tokensOf(one))) {
    // The tightest bound that covers it, so that a larger one is left for a larger call.
    const fitting = estimated
      .filter((each) => covers(each, usage))
      .toSorted((one, other) => tokensOf(one) - tokensOf(other));
    const [best] = fitting;
    if (best) estimated.splice(estimated.indexOf(best), 1);
    else complaints.push(`a call that nobody settled: ${JSON.stringify(usage)}, left ${JSON.stringify(estimated)}`);
  }
  for (const { usage, model, profile, admitted_at, source, cost: billed } of rows) {
    const known = catalog.models.find(({ id }) => id === model);
    const price = known && priceAt(known, profile, admitted_at);
    const due = price ? cost(price, usage) : Number.NaN;
    // Bounds are settled at the highest rate of a prompt.
    const right = source === "estimated" ? billed >= due : billed === due;
    if (!right) complaints.push(`another cost than the price says: ${billed}`);
    if (Object.values(usage).some((tokens) => tokens < 0)) complaints.push("negative usage");
  }
  return complaints;
}

const sorted = (usage: TokenUsage) => Object.entries(usage).sort();

/** What is spent is what the ledger says, and nothing is reserved. */
async function spendingComplaints(): Promise<string[]> {
  const complaints: string[] = [];
  for (const { callerId, tenantId } of callers) {
    for (const month of months()) {
      const item = await itemAt(stack, spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }));
      const { spent, committed, inflight, reservations } = spendingOf(item);
      const rows = [...settled.values()].filter(
        (row) => row.caller_id === callerId && row.admitted_at.startsWith(month),
      );
      const due = sum(rows.map((row) => row.cost));
      const state = { spent, committed, inflight, reservations: reservations.length };
      const even = { spent: due, committed: due, inflight: 0, reservations: 0 };
      if (JSON.stringify(state) !== JSON.stringify(even)) complaints.push(`${JSON.stringify({ month, state, even })}`);
    }
  }
  const free = callers.find(({ slug }) => slug);
  const credit = await itemAt(stack, creditRecord.key({ tenant_id: free?.tenantId ?? "" }));
  const tokens = sum(
    [...settled.values()].filter(({ caller_id }) => caller_id === free?.callerId).map(({ usage }) => tokensOf(usage)),
  );
  if (credit?.spent !== tokens || credit?.committed !== tokens)
    complaints.push(`credit ${JSON.stringify({ credit, tokens })}`);
  return complaints;
}

test(
  `${count} random schedules of calls and faults are settled as the model host counted`,
  async () => {
    const generated = fc.sample(schedules, { numRuns: count, seed });
    let served = 0;
    for (const [number, schedule] of generated.entries()) {
      if (number < first) continue;
      const from = stack.clock.now();
      const seen = await play(stack, schedule, callers);
      served += stack.bedrock.requests().length;
      const rows = await newRows(from);
      const complaints = [
        ...seen.map((each) => complaint(each, schedule)).filter((each) => each !== undefined),
        ...settlementComplaints(rows),
        ...(await spendingComplaints()),
      ];
      if (complaints.length > 0) {
        throw new Error(`seed ${seed}, schedule ${number}: ${complaints.join("; ")}\n${JSON.stringify(schedule)}`);
      }
    }
    expect(served).toBeGreaterThan(count - first);
  },
  60_000 + count * 5_000,
);

test("after random schedules the rollups are the sums of the ledger, however they are grouped", async () => {
  stack.clock.advance(2 * hourMs);
  await runMeter(stack);
  for (const tenantId of tenants()) {
    const rows = [...settled.values()].filter((row) => row.tenant_id === tenantId);
    const rollups: Rollup[] = [];
    for (const month of months())
      rollups.push(
        ...((await partition(stack, rollupRecord.range({ tenant_id: tenantId, hour: month }).pk)) as Rollup[]),
      );
    for (const by of [[], ["caller"], ["model"], ["day"], ["month"], ["caller", "model", "day"]] as const) {
      const totals = usageBy(rollups, by);
      expect(sum(totals.map((total) => total.cost))).toBe(sum(rows.map((row) => row.cost)));
      // A row of nothing is there for a late admission to find, and is no request.
      const used = rows.filter(({ cost, usage }) => cost > 0 || sum(Object.values(usage)) > 0);
      expect(sum(totals.map(({ requests }) => requests))).toBe(used.length);
      expect(sum(totals.map(({ output }) => output))).toBe(sum(rows.map(({ usage }) => usage.output)));
    }
    for (const { caller_id, cost: total } of usageBy(rollups, ["caller"])) {
      expect(total).toBe(sum(rows.filter((row) => row.caller_id === caller_id).map((row) => row.cost)));
    }
  }
});
