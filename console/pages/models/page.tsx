// The models that one may call, with prices, regions, and the id to copy.
import { useRead } from "../../app/query.ts";
import { Copy } from "../../parts/copy.tsx";
import { count, usd } from "../../parts/money.ts";
import { Empty, Loaded } from "../../parts/state.tsx";

export default function Models() {
  const catalog = useRead("GET /v1/catalog");
  return (
    <>
      <h1>Models</h1>
      <p>Prices are USD for a million tokens, as budgets count them.</p>
      <Loaded query={catalog}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No model is granted to you.</Empty>
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
                <div className="scroll">
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">Region</th>
                        {["Input", "Output", "Cache read", "Written, 5 min", "Written, 1 h"].map((title) => (
                          <th key={title} scope="col" className="number">
                            {title}
                          </th>
                        ))}
                      </tr>
                    </thead>
                    <tbody>
                      {regions.flatMap(({ region, runs_anywhere, prices }) =>
                        prices.map((price) => (
                          <tr key={`${region}${price.prompt_tokens_above}`}>
                            <th scope="row">
                              {region}
                              {price.prompt_tokens_above > 0 &&
                                `, prompts over ${count(price.prompt_tokens_above)} tokens`}
                              {runs_anywhere && " (may run in any region)"}
                            </th>
                            {[
                              price.input,
                              price.output,
                              price.cache_read,
                              price.cache_write_5m,
                              price.cache_write_1h,
                            ].map((amount, at) => (
                              // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
                              <td key={at} className="number">
                                {usd(amount)}
                              </td>
                            ))}
                          </tr>
                        )),
                      )}
                    </tbody>
                  </table>
                </div>
              </section>
            ))
          )
        }
      </Loaded>
    </>
  );
}
