// A month of generated rollups, on its last day: what the overview and the page of usage sum, the table, the file and the API say the
// same, to the cent, wherever the viewer is.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { tenantProgressRecord } from "../../../adapters/dynamodb/ledger/metering-progress.record.ts";
import { rollupRecord } from "../../../adapters/dynamodb/ledger/rollup.record.ts";
import { hourOf, monthOf } from "../../../domain/kernel/period.ts";
import { nothingUsed, type Rollup } from "../../../domain/ledger/rollup.ts";
import { expect, type Stage } from "../stage.ts";
import { put } from "../table.ts";

const [callers, models, perDay] = [40, 8, 60];
const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** West and east of UTC as far as people live, and one with half an hour. */
const zones = ["Pacific/Pitcairn", "Asia/Kolkata", "Pacific/Kiritimati"];

/** Some of a day's hours, callers and models; every ninth has no costs by kind of token, every seventh is estimated. */
function rollupsOf(tenant_id: string, days: readonly string[]): Rollup[] {
  let n = 0;
  return days.flatMap((day) =>
    Array.from({ length: perDay }, (): Rollup => {
      n += 1;
      const parts = { input_cost: n * 1_234_567, output_cost: n * 7_654_321, cache_read_cost: n * 111_111 };
      const written = { cache_write_5m_cost: n * 222_223, cache_write_1h_cost: n * 9 };
      const cost = [...Object.values(parts), ...Object.values(written)].reduce((sum, part) => sum + part, 0);
      const isOld = n % 9 === 0;
      return {
        ...nothingUsed,
        ...{ tenant_id, hour: `${day}T${String(n % 19).padStart(2, "0")}`, caller_id: `sa_${n % callers}` },
        model: `model-${n % models}`,
        ...{ requests: 1 + (n % 5), cost, billable_cost: cost, input: n * 3, output: n, cache_read: n * 10 },
        ...(isOld ? {} : { ...parts, ...written, saved: n * 1_000 }),
        ...(n % 7 === 0 && { estimated_requests: 1, estimated_cost: cost }),
      };
    }),
  );
}

export async function numbers(stage: Stage): Promise<void> {
  const { from, to, days } = toLastEvening(stage);
  const { person, tenantId } = await stage.workspace();
  const rollups = rollupsOf(tenantId, days);
  for (const rollup of rollups) await put(stage.stack, { ...rollupRecord.key(rollup), ...rollup, read_at: 1 });
  // Hours that the meter has not closed are read from the ledger.
  const closed = { next: hourOf(stage.stack.clock.now()), waiting: [], version: 1 };
  await put(stage.stack, { ...tenantProgressRecord.key({ tenant_id: tenantId, month: from.slice(0, 7) }), ...closed });
  const cost = rollups.reduce((sum, rollup) => sum + BigInt(rollup.cost), 0n);
  const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(Number(cost) / 1e9);
  for (const timezoneId of zones) {
    const { page } = await stage.signedIn(person, { timezoneId });
    const totals: Record<string, number>[] = [];
    page.on("response", async (response) => {
      if (!/\/v1\/usage\?.*group_by/.test(response.url()) || !response.ok()) return;
      if (!/json/.test(response.headers()["content-type"] ?? "")) return;
      const answer = await response.json();
      // Further pages come without the sum.
      if (answer.totals) totals.push(answer.totals);
    });
    await page.goto(stage.console);
    await page.locator(".legend").waitFor();
    expect(`${timezoneId}: the overview's month`, await page.locator(".figure").first().innerText(), cents);
    await expectDrawn(page, `${timezoneId}: the overview`, Number(cost));
    for (const by of ["caller", "kind"]) {
      await page.goto(`${stage.console}/usage?from=${from}&to=${to}&by=${by}`);
      await page.locator(".legend").waitFor();
      const found = {
        card: await page.locator(".figure").first().innerText(),
        total: (await page.locator("tfoot td").first().innerText()).replace(/\s*≈/, ""),
        api: Math.round((totals.at(-1)?.cost_usd ?? 0) * 1e9),
        kinds: String(kindsOf(totals.at(-1) ?? {})),
        saved: String(await savedCost(page)),
      };
      const expected = { card: cents, total: cents, api: Number(cost), kinds: String(cost), saved: String(cost) };
      expect(`${timezoneId}, by ${by}`, found, expected);
      await expectDrawn(page, `${timezoneId}, by ${by}`, Number(cost));
    }
  }
  console.log(
    `  ${rollups.length} rollups, ${cents}: overview, card, table, chart, file and API agree, by caller and kind, in ${zones.join(", ")}`,
  );
}

/** Sets the clock two hours before the end of a month in UTC. It is the next month already in the east, and not yet evening in the west. */
function toLastEvening({ stack: { clock } }: Stage): { from: string; to: string; days: string[] } {
  // The play itself must not last into the next month.
  const first = Date.parse(`${monthOf(clock.now() + hourMs)}-01`);
  const end = new Date(first).setUTCMonth(new Date(first).getUTCMonth() + 1);
  clock.advance(Math.max(0, end - 2 * hourMs - clock.now()));
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const days = Array.from({ length: (end - first) / dayMs }, (_, at) => day(first + at * dayMs));
  return { from: day(first), to: day(end), days };
}

/** The kinds of token add up to the cost. */
function kindsOf(totals: Record<string, number>): bigint {
  const kinds = Object.entries(totals).filter(([name]) => /^(input|output|cache_.*|no_kind)_cost_usd$/.test(name));
  return kinds.reduce((sum, [, part]) => sum + BigInt(Math.round(part * 1e9)), 0n);
}

/** What the rows of the saved file cost together. */
async function savedCost(page: Page): Promise<bigint> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const [head = "", ...rows] = readFileSync(await (await saving).path(), "utf8")
    .trim()
    .split("\r\n");
  const column = head.split(",").indexOf("cost_usd");
  return rows.reduce((sum, row) => sum + BigInt(Math.round(Number(row.split(",")[column]) * 1e9)), 0n);
}

/** Each part of a chart's legend is rounded to a cent. */
async function expectDrawn(page: Page, where: string, cost: number): Promise<void> {
  const parts = await page.locator(".legend b").allInnerTexts();
  const drawn = parts.reduce((sum, text) => sum + Number(text.replace(/[^\d.]/g, "")), 0);
  if (Math.abs(drawn - cost / 1e9) > 0.005 * parts.length)
    throw new Error(`${where}: the chart has ${drawn} and not ${cost / 1e9}`);
}
