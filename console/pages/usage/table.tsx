// Usage as a table: the rows of the chart, and their sum.
import type { Answer } from "../../app/call.ts";
import { count, share, usd } from "../../parts/money.ts";

export type Usage = Answer<"GET /v1/usage">["data"][number];

export function UsageTable({ rows, name, of }: { rows: readonly Usage[]; name: (row: Usage) => string; of: string }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            {["Cost", "Requests", "Input", "Output", "Cache read", "Cache written", "Cached share"].map((title) => (
              <th key={title} scope="col" className="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify([row.month, row.day, row.caller_id, row.model, row.session_id, row.agent_id])}>
              <th scope="row">{name(row)}</th>
              <td className="number">
                {usd(row.cost_usd)}
                {row.estimated_requests > 0 && (
                  <abbr
                    title={`${usd(row.estimated_cost_usd)} of it is an upper bound: the model host never told the usage of ${count(row.estimated_requests)} calls`}
                  >
                    {" "}
                    ≈
                  </abbr>
                )}
              </td>
              <td className="number">{count(row.requests)}</td>
              <td className="number">{count(row.input_tokens)}</td>
              <td className="number">{count(row.output_tokens)}</td>
              <td className="number">{count(row.cache_read_tokens)}</td>
              <td className="number">{count(row.cache_write_5m_tokens + row.cache_write_1h_tokens)}</td>
              <td className="number">{row.cached_share === undefined ? "–" : share(row.cached_share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
