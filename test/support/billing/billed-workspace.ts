// A workspace that is billed in a running stack: used, its hours closed and reported, its months invoiced by the local Stripe.

import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { nextMonth } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, ledgerSince, runMeter, runReporting, settled } from "../accounting/accounting.ts";
import { ask } from "../proxy-client.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** In an hour the meter closes the one before after five. */
const tenMinutes = 600_000;
const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1_000 };

export type BilledWorkspace = {
  owner: Person;
  tenant_id: string;
  slug: string;
  key: string;
  /** All that was called, as the ledger had it. */
  rows: LedgerRow[];
};

/** A new workspace with a key for it, without a payment method. */
export async function openBilled(stack: Stack, owner: Person, name: string): Promise<BilledWorkspace> {
  const { tenant_id, slug } = await openWorkspace(stack, owner, name);
  return { owner, tenant_id, slug, key: await anotherKey(stack, owner, "CI"), rows: [] };
}

/** The key of a new caller of the owner's active workspace. */
export async function anotherKey(stack: Stack, owner: Person, name: string): Promise<string> {
  const body = { name, kind: "service_account", grant };
  const made = await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/keys", body);
  return (made as { key: string }).key;
}

/**
 * One call.
 * @param meanwhile what happens once its answer has begun
 * @returns its status, or the code of its refusal
 */
export async function use(
  stack: Stack,
  workspace: BilledWorkspace,
  max_tokens = 100,
  meanwhile?: () => void,
): Promise<number | string> {
  const { slug, key, tenant_id, rows } = workspace;
  const at = stack.clock.now();
  const response = await ask(stack, { max_tokens }, { slug, key });
  meanwhile?.();
  const text = await response.text();
  await settled(stack);
  if (!response.ok) return JSON.parse(text).error.details.error_code;
  const known = new Set(rows.map(({ request_id }) => request_id));
  rows.push(...(await ledgerSince(stack, at, tenant_id)).filter(({ request_id }) => !known.has(request_id)));
  return response.status;
}

/** Each hour is closed, and what was used is reported. @param eachMs the time between two runs */
export async function passHours(stack: Stack, count: number, eachMs = hourMs): Promise<void> {
  for (let hour = 0; hour < count; hour++) {
    stack.clock.advance(eachMs);
    await runMeter(stack);
    await runReporting(stack);
  }
}

/** The first minutes of the next month, then the 72 hours of its draft, and a day more. */
export async function closeMonth(stack: Stack, days = 4): Promise<void> {
  stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + tenMinutes);
  await told(stack);
  stack.clock.advance(days * dayMs);
  await told(stack);
}

/** Until everything that the provider has to tell is told; instances forget what they know of the workspace. */
export async function told(stack: Stack): Promise<void> {
  await stack.stripe.idle();
  stack.clock.advance(61_000);
  await stack.stripe.idle();
}

/** Of the workspace's subscription, oldest first. */
export async function invoicesOf(stack: Stack, { tenant_id }: Pick<BilledWorkspace, "tenant_id">) {
  const row = await itemAt(stack, tenantRecord.key({ tenant_id }));
  return stack.stripe.account.invoices
    .all()
    .filter(({ parent }) => parent?.subscription_details?.subscription === row?.stripe_subscription_id);
}

/** By all of its invoices, in micro-USD. */
export async function invoiced(stack: Stack, workspace: Pick<BilledWorkspace, "tenant_id">): Promise<number> {
  const invoices = await invoicesOf(stack, workspace);
  return invoices.flatMap(({ lines }) => lines.data).reduce((sum, line) => sum + microUsdOf(line), 0);
}

/** Of one line. */
export function microUsdOf({ quantity_decimal }: { quantity_decimal: string | null }): number {
  return Math.round(Number(quantity_decimal) * 1e6);
}

/** What the ledger says is to be billed, in micro-USD: after the first tokens, which free credit pays, times the markup. */
export function toBill({ rows }: Pick<BilledWorkspace, "rows">, markup = 1): number {
  let [cost, left] = [0, freeCreditTokens];
  for (const row of rows.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))) {
    const tokens = Object.values(row.usage).reduce((sum, count) => sum + count, 0);
    const free = Math.min(left, tokens);
    left -= free;
    if (!row.on_credit) cost += row.cost - Math.floor((row.cost * free) / tokens);
  }
  return Number((BigInt(cost) * BigInt(Math.round(markup * 1e6))) / 1_000_000_000n);
}

/** By hour, and in it as the ledger is read; what draws on the credit by itself has done so before the hour is closed. */
function placeOf({ admitted_at, request_id, on_credit }: LedgerRow): string {
  return `${admitted_at.slice(0, 13)} ${on_credit ? 0 : 1} ${request_id}`;
}
