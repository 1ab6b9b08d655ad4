// The audit trail: who changed what, newest first, with the values before and after.
import { download } from "../../app/call.ts";
import { useFilters } from "../../app/page.ts";
import { Field } from "../../parts/field.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { Empty } from "../../parts/state.tsx";
import { When } from "../../parts/time.tsx";

export default function Audit() {
  const [filters, set] = useFilters({ action: "", actor: "" });
  const query = { action: filters.action || undefined, actor: filters.actor || undefined };
  const list = useList("GET /v1/audit", { query });
  const name = useNames();
  const save = async () => {
    const blob = await download("GET /v1/audit", { query: { ...query, format: "csv" } });
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: "audit.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <h1>Audit</h1>
      <div className="filters">
        <Field
          label="Action"
          name="action"
          placeholder="key.create"
          defaultValue={filters.action}
          onBlur={({ target }) => set({ action: target.value })}
        />
        <Field
          label="Actor's id"
          name="actor"
          defaultValue={filters.actor}
          onBlur={({ target }) => set({ actor: target.value })}
        />
        <button type="button" onClick={save}>
          Save as CSV
        </button>
      </div>
      <Rows list={list} empty={<Empty>Nothing was changed that fits.</Empty>}>
        {(rows) => (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  {["When", "Who", "What", "On", "Change"].map((title) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ audit_id, at, actor, action, target, before, after }) => (
                  <tr key={audit_id}>
                    <td>
                      <When at={at} />
                    </td>
                    <td>{name(actor)}</td>
                    <th scope="row">{action}</th>
                    <td>{name(target ?? "")}</td>
                    <td>
                      {(before || after) && (
                        <details>
                          <summary>Values</summary>
                          <pre>{JSON.stringify({ before, after }, null, 2)}</pre>
                        </details>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Rows>
    </>
  );
}
