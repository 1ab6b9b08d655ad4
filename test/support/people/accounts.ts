// Callers of their own with room for many requests, their accounting, and what the model host's own count comes to.
import { expect } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { cost, priceAt } from "../../../domain/catalog/price.ts";
import type { TokenUsage } from "../../../domain/catalog/token-usage.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import type { ReceivedCall } from "../../../emulators/bedrock/journal.ts";
import type { Stack } from "../../../local/stack.ts";
import { ledgerSince, spendingOf } from "../accounting/accounting.ts";
import { aServiceAccount } from "../proxy-client.ts";

const catalog = parseCatalog(catalogData);

export type Account = { key: string; keyId?: string; callerId: string; openedAt: number };

/** A caller whom no limit stops, unless the grant sets one. */
export async function openAccount(stack: Stack, grant: object = {}): Promise<Account & { keyId: string }> {
  const openedAt = stack.clock.now();
  const limits = { monthly_budget_usd: 1_000, rate_limit: { burst: 10_000, per_minute: 1_200 } };
  const { key, key_id: keyId, caller_id: callerId } = await aServiceAccount(stack, { ...limits, ...grant });
  return { key, keyId, callerId, openedAt };
}

/** The ledger's rows since the account was opened, and its spending in this month. */
export async function accountingOf(stack: Stack, { callerId, openedAt }: Account) {
  const rows = (await ledgerSince(stack, openedAt)).filter(({ caller_id }) => caller_id === callerId);
  return { rows, spending: await spendingOf(stack, callerId) };
}

/** Nothing is reserved, and what is spent is what the ledger says. Gives the ledger's rows. */
export async function expectClosed(stack: Stack, account: Account): Promise<LedgerRow[]> {
  const { rows, spending } = await accountingOf(stack, account);
  const spent = rows.reduce((sum, { cost }) => sum + cost, 0);
  expect(spending).toMatchObject({ spent, committed: spent, inflight: 0, reservations: [] });
  return rows;
}

/** What the model host counted for a call, in the ledger's words. A call that it did not begin counts nothing. */
export function countedUsage({ usage }: Pick<ReceivedCall, "usage">): TokenUsage {
  return {
    input: usage?.input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
    cache_read: usage?.cache_read_input_tokens ?? 0,
    cache_write_5m: usage?.cache_creation.ephemeral_5m_input_tokens ?? 0,
    cache_write_1h: usage?.cache_creation.ephemeral_1h_input_tokens ?? 0,
  };
}

/** The cost of a call in nano-USD. @throws Error for a profile that has no price in the catalog. */
export function countedCost(call: Pick<ReceivedCall, "modelId" | "time" | "usage">): number {
  const prices = catalog.models.map((model) => priceAt(model, call.modelId, call.time));
  const price = prices.find((found) => found !== undefined);
  if (!price) throw new Error(`the catalog has no price for ${call.modelId}`);
  return cost(price, countedUsage(call));
}
