import { beforeEach, expect, test } from "@jest/globals";
import { questionAllowances } from "../../../adapters/dynamodb/kernel/question-allowances.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
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

const ask = (rowsRead: number, sub = "ann") => withinAllowance(allowances, sub, async () => ({ rowsRead }));
const tooFast = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 5 });

test("a person may ask small questions about usage one after the other, a hundred in a row", async () => {
  for (let time = 0; time < 100; time++) await ask(10);
});

test("a question about two hundred thousand rows is paid for by a waiting time afterwards", async () => {
  await ask(200_000);
  await expect(ask(10)).rejects.toEqual(tooFast);
  await ask(10, "ben");
  now += 20_000;
  await ask(10);
});

test("six questions about usage are answered at once, and no seventh", async () => {
  let finish = () => {};
  const reading = new Promise<{ rowsRead: number }>((resolve) => {
    finish = () => resolve({ rowsRead: 1 });
  });
  const asked = Array.from({ length: 7 }, () =>
    withinAllowance(allowances, "ann", () => reading).catch(() => "refused"),
  );
  await Promise.race(asked);
  finish();
  expect((await Promise.all(asked)).filter((one) => one === "refused")).toHaveLength(1);
});

test("a question about usage that fails keeps its price", async () => {
  const failing = () => withinAllowance(allowances, "ann", () => Promise.reject(new Error("too much")));
  for (let time = 0; time < 6; time++) await expect(failing()).rejects.toThrow("too much");
  await expect(failing()).rejects.toEqual(tooFast);
});
