// The models that one may call, with prices, regions, and the id to copy.

import type { Answer } from "../../app/api.ts";
import { useRead } from "../../app/query.ts";
import { Copy } from "../../parts/copy.tsx";
import { count, price } from "../../parts/money.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Region = Answer<"GET /v1/catalog">["data"][number]["regions"][number];
type Price = Omit<Region, "prices"> & Region["prices"][number];

const priceColumns: Column<Price>[] = [
  {
    title: "Region",
    isHead: true,
    of: ({ region, runs_anywhere, prompt_tokens_above }) => [
      region,
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
      <PageHead title="Models" />
      <p>Prices are USD for a million tokens, as budgets count them.</p>
      <Loaded query={catalog}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No model is granted to you yet. Your workspace's owner grants models.</Empty>
          ) : (
            data.map(({ id, display_name, aliases, max_input_tokens, max_output_tokens, regions }) => (
              <section key={id} className="card">
                <h2>{display_name}</h2>
                <p className="row">
                  <code>{id}</code> <Copy text={id} label="Copy id" />
                </p>
                {aliases.length > 0 && <p className="quiet">Also {aliases.join(", ")}</p>}
                <p className="quiet">
                  Reads {count(max_input_tokens)} tokens, writes up to {count(max_output_tokens)}
                </p>
                <Table
                  isFigures
                  columns={priceColumns}
                  rows={regions.flatMap(({ prices, ...region }) => prices.map((one) => ({ ...region, ...one })))}
                  keyOf={({ region, prompt_tokens_above }) => `${region}${prompt_tokens_above}`}
                />
              </section>
            ))
          )
        }
      </Loaded>
    </>
  );
}
