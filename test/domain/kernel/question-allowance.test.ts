import { beforeEach, expect, test } from "@jest/globals";
import { questionAllowances } from "../../../adapters/dynamodb/kernel/question-allowances.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { payOutside } from "../../../domain/kernel/question-allowance.ts";
import { withinAllowance } from "../../../domain/ledger/usage-allowance.ts";
import { documentClientOf } from "../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../support/memory-dynamodb/memory-table.ts";

let now: number;
let allowances: ReturnType<typeof questionAllowances>;
beforeEach(() => {
  now = Date.parse("2026-11-21T05:00:00.000Z");
  const table = new MemoryTable();
  const client = documentClientOf(async (command) => table.execute(command));
  allowances = questionAllowances(rowsOf(client, "main"), () => now);
});

const tooFast = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 1 });

test("a person may ask outside systems thirty times at once, and then once a second", async () => {
  for (let time = 0; time < 30; time++) await payOutside(allowances, "ann");
  await expect(payOutside(allowances, "ann")).rejects.toEqual(tooFast);
  await payOutside(allowances, "ben");
  now += 1_000;
  await payOutside(allowances, "ann");
  await expect(payOutside(allowances, "ann")).rejects.toEqual(tooFast);
});

test("of forty simultaneous questions to outside systems thirty are answered", async () => {
  const asked = Array.from({ length: 40 }, () => payOutside(allowances, "ann"));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(30);
});

test("a person who has read much usage can still ask outside systems", async () => {
  await withinAllowance(allowances, "ann", async () => ({ rowsRead: 200_000 }));
  await expect(withinAllowance(allowances, "ann", async () => ({ rowsRead: 1 }))).rejects.toEqual(
    expect.objectContaining({ code: "rate_limited" }),
  );
  await payOutside(allowances, "ann");
});
