// The models that one may call, with prices, regions, and the id to copy.

import type { Answer } from "../../app/api.ts";
import { useRead } from "../../app/query.ts";
import { Copy } from "../../parts/copy.tsx";
import { count, price } from "../../parts/money.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { endOf } from "./model-end.ts";

type Region = Answer<"GET /v1/catalog">["data"][number]["regions"][number];
/** A row of prices, with all regions that cost the same. */
type Price = Pick<Region, "runs_anywhere"> & Region["prices"][number] & { regions: string[] };

const priceColumns: Column<Price>[] = [
  {
    title: "Regions",
    isHead: true,
    of: ({ regions, runs_anywhere, prompt_tokens_above }) => [
      regions.join(", "),
      prompt_tokens_above > 0 && `, prompts over ${count(prompt_tokens_above)} tokens`,
      runs_anywhere && " (may run in any region)",
    ],
  },
  { title: "Input", isNumber: true, of: ({ input }) => price(input) },
  { title: "Output", isNumber: true, of: ({ output }) => price(output) },
  { title: "Cache read", isNumber: true, of: ({ cache_read }) => price(cache_read) },
  { title: "Written, 5 min", isNumber: true, of: ({ cache_write_5m }) => price(cache_write_5m) },
  { title: "Written, 1 h", isNumber: true, of: ({ cache_write_1h }) => price(cache_write_1h) },
];

export default function Models() {
  const catalog = useRead("GET /v1/catalog");
  return (
    <>
      <PageHead title="Models">Prices are USD for a million tokens, as budgets count them.</PageHead>
      <Loaded query={catalog}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No model is granted to you yet. Your workspace's owner grants models.</Empty>
          ) : (
            data.map(({ id, display_name, aliases, stack_aliases, max_input_tokens, max_output_tokens, ...model }) => (
              <section key={id} className="card">
                <div className="head">
                  <h2>{display_name}</h2>
                  <span className="row">
                    <code>{id}</code> <Copy text={id} label="Copy id" />
                  </span>
                </div>
                <p className="about">
                  Reads {count(max_input_tokens)} tokens, writes up to {count(max_output_tokens)}
                  {aliases.length > 0 && `. Also called ${aliases.join(", ")}`}
                  {stack_aliases.length > 0 && `. Answers calls to ${stack_aliases.join(", ")}, at the prices below`}
                </p>
                {endOf(model) && <p className="about">{endOf(model)}</p>}
                <Table
                  columns={priceColumns}
                  rows={pricesOf(model.regions)}
                  keyOf={({ regions, prompt_tokens_above }) => `${regions}${prompt_tokens_above}`}
                />
              </section>
            ))
          )
        }
      </Loaded>
    </>
  );
}

/** One row for regions that cost the same. */
function pricesOf(regions: readonly Region[]): Price[] {
  const rows = new Map<string, Price>();
  for (const { region, runs_anywhere, prices } of regions) {
    for (const one of prices) {
      const same = JSON.stringify([runs_anywhere, one]);
      const row = rows.get(same) ?? { ...one, runs_anywhere, regions: [] };
      rows.set(same, { ...row, regions: [...row.regions, region] });
    }
  }
  return [...rows.values()];
}
