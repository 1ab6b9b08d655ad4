import { expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { ceilingMessage, freeGrants, grantsFor } from "../../../domain/provisioning/free-grants.ts";

const usd = 1_000_000_000;

test("a free credit is valued at the price of the most expensive token", () => {
  const { models } = parseCatalog(catalogData);
  const rates = models.flatMap(({ prices }) => prices.flatMap(({ tiers }) => Number(tiers[0]?.output ?? 0)));
  const grants = grantsFor(100 * usd, { models });
  // 20,000 tokens at some 55 USD a million.
  expect([grants > 60, grants < 120, rates.length > 0]).toEqual([true, true, true]);
  expect(grantsFor(0, { models })).toBe(0);
});

test("a stack that does not bill gives free credit without a limit; otherwise workspaces that wait for it are reported", () => {
  const lines: unknown[] = [];
  const log = { info: () => {}, problem: (message: string, facts: object) => void lines.push([message, facts]) };
  expect(freeGrants(undefined, log)).toBeUndefined();
  freeGrants(3, log)?.refused("t1");
  expect(lines).toEqual([[ceilingMessage, { tenant_id: "t1" }]]);
});
