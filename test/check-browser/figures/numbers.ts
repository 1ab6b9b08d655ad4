// A month of generated rollups: what the page sums, its table, its file and the API say the same, to the cent, wherever the viewer is.
import { readFileSync } from "node:fs";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import { nothingUsed, type Rollup } from "../../../domain/ledger/rollup.ts";
import type { Stage } from "../stage.ts";
import { put } from "../table.ts";

const [callers, models, perDay] = [40, 8, 60];
const month = "2026-10";
/** West and east of UTC as far as people live, and one with half an hour. */
const zones = ["Pacific/Pitcairn", "Asia/Kolkata", "Pacific/Kiritimati"];

/** Some of a day's hours, callers and models; every ninth is of before the kinds of token were kept, every seventh estimated. */
function rollupsOf(tenant_id: string): Rollup[] {
  const days = Array.from({ length: 31 }, (_, day) => `${month}-${String(day + 1).padStart(2, "0")}`);
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
        ...{ tenant_id, hour: `${day}T${String(n % 24).padStart(2, "0")}`, caller_id: `sa_${n % callers}` },
        model: `model-${n % models}`,
        ...{ requests: 1 + (n % 5), cost, billable_cost: cost, input: n * 3, output: n, cache_read: n * 10 },
        ...(isOld ? {} : { ...parts, ...written, saved: n * 1_000 }),
        ...(n % 7 === 0 && { estimated_requests: 1, estimated_cost: cost }),
      };
    }),
  );
}

export async function numbers(stage: Stage): Promise<void> {
  const { person, tenantId } = await stage.workspace();
  const rollups = rollupsOf(tenantId);
  for (const rollup of rollups) await put(stage.stack, { ...keys.rollup(rollup), ...rollup, read_at: 1 });
  const cost = rollups.reduce((sum, rollup) => sum + BigInt(rollup.cost), 0n);
  const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(Number(cost) / 1e9);
  for (const timezoneId of zones) {
    const { page } = await stage.signedIn(person, { timezoneId });
    const asked: { totals?: Record<string, number> }[] = [];
    page.on("response", async (response) => {
      if (
        /\/v1\/usage\?.*group_by/.test(response.url()) &&
        response.ok() &&
        /json/.test(response.headers()["content-type"] ?? "")
      )
        asked.push(await response.json());
    });
    for (const by of ["caller", "kind"]) {
      await page.goto(`${stage.console}/usage?from=${month}-01&to=2026-11-01&by=${by}`);
      await page.locator(".figure").first().waitFor();
      const card = await page.locator(".figure").first().innerText();
      const total = await page.locator("tfoot td").first().innerText();
      // Further pages come without the sum.
      const totals = asked.findLast((answer) => answer.totals)?.totals ?? {};
      const legend = await page.locator(".legend b").allInnerTexts();
      const drawn = legend.reduce((sum, text) => sum + Number(text.replace(/[^\d.]/g, "")), 0);
      const saving = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save as CSV" }).click();
      const file = readFileSync(await (await saving).path(), "utf8")
        .trim()
        .split("\r\n");
      const column = file[0]?.split(",").indexOf("cost_usd") ?? -1;
      const saved = file
        .slice(1)
        .reduce((sum, line) => sum + BigInt(Math.round(Number(line.split(",")[column]) * 1e9)), 0n);
      const kinds = Object.entries(totals)
        .filter(([name]) => /^(input|output|cache_.*|no_kind)_cost_usd$/.test(name))
        .reduce((sum, [, part]) => sum + BigInt(Math.round(part * 1e9)), 0n);
      const found = {
        card,
        total: total.replace(/\s*≈/, ""),
        api: Math.round((totals.cost_usd ?? 0) * 1e9),
        saved,
        kinds,
      };
      const expected = { card: cents, total: cents, api: Number(cost), saved: cost, kinds: cost };
      for (const [name, value] of Object.entries(expected)) {
        const is = found[name as keyof typeof found];
        if (is !== value) throw new Error(`${timezoneId}, by ${by}: ${name} says ${is} and not ${value}`);
      }
      // Each part of the legend is rounded to a cent.
      if (Math.abs(drawn - Number(cost) / 1e9) > 0.005 * legend.length)
        throw new Error(`${timezoneId}, by ${by}: the chart has ${drawn} and not ${cents}`);
    }
  }
  console.log(
    `  ${rollups.length} rollups, ${cents}: card, table, chart, file and API agree, by caller and kind, in ${zones.join(", ")}`,
  );
}
