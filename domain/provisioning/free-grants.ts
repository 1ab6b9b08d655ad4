// Grants of free credit: what the platform gives on a day to owners without a payment method, a mail address each, has a ceiling
// (docs/decisions/0094-trust-as-people-settle-it.md).
import { mostCommitted } from "../budget/plan.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { cost } from "../catalog/price.ts";
import { noUsage, type TokenKind } from "../catalog/token-usage.ts";
import type { Log } from "../kernel/log.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { freeCreditTokens } from "../workspace/tenant.ts";

export type FreeGrants = {
  /** How many workspaces get a free credit on a day (UTC). */
  mostADay: number;
  /** Tells of a workspace that has to wait for the next day. */
  refused: (tenantId: string) => void;
};

/** The message of the log line on which an alarm rings. */
export const ceilingMessage = "No more free credit is given today: a new workspace waits for it";

/** @param mostADay undefined in a stack that gives without a ceiling, since nobody pays there */
export function freeGrants(mostADay: number | undefined, log: Log): FreeGrants | undefined {
  if (mostADay === undefined) return undefined;
  return { mostADay, refused: (tenantId) => log.problem(ceilingMessage, { tenant_id: tenantId }) };
}

/** How many grants are worth at most this: all that a workspace can take, as tokens of the dearest kind of the dearest model. */
export function grantsFor(worth: NanoUsd, { models }: Pick<Catalog, "models">): number {
  const tokens = mostCommitted(freeCreditTokens);
  const kinds = Object.keys(noUsage) as TokenKind[];
  const costs = models.flatMap(({ prices }) =>
    prices.flatMap((price) => kinds.map((kind) => cost(price, { ...noUsage, [kind]: tokens }))),
  );
  const dearest = Math.max(0, ...costs);
  return dearest === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(worth / dearest);
}
