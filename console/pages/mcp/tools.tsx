// The tools of an integration, and who may use each: everybody, owners alone, nobody.
import { type FormEvent, useState } from "react";
import type { Answer, CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useVisitor } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { type Audience, audienceOf, audiencesFor } from "../../app/rights.ts";
import { FormProblem } from "../../parts/field.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Integration = Answer<"GET /v1/mcp-servers/{server_id}">;
type Rules = NonNullable<CallInput<"PUT /v1/mcp-servers/{server_id}">["body"]["tools"]>;

/**
 * Reads the rules out of a form. Every tool is offered unless some are for nobody, so that tools to come are offered too; where the owner named those that
 * are offered, they stay named.
 */
function rulesOf({ all, set_by_owner }: Integration["tools"], who: (tool: string) => Audience): Rules {
  const offered = all.filter((tool) => who(tool) !== "nobody");
  const owners_only = all.filter((tool) => who(tool) === "owners");
  const isNamed = offered.length < all.length || (set_by_owner?.offered !== undefined && offered.length > 0);
  return { ...(isNamed && { offered }), owners_only };
}

export function Tools({ of }: { of: Integration }) {
  const { me } = useVisitor();
  const { server_id, version, name, tools, tool_warnings, state } = of;
  const [isChanging, setChanging] = useState(false);
  const change = useChange(
    (rules: Rules) =>
      call("PUT /v1/mcp-servers/{server_id}", {
        parameters: { server_id },
        body: { tools: rules },
        ifMatch: `"${version}"`,
      }),
    () => setChanging(false),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change.mutate(rulesOf(tools, (tool) => form.get(tool) as Audience));
  };
  const warnings = new Map(tool_warnings.map(({ tool, message }) => [tool, message]));
  const columns: Column<string>[] = [
    { title: "Tool", isHead: true, of: (tool) => <code>{`${name}___${tool}`}</code> },
    {
      title: "For",
      of: (tool) =>
        isChanging ? (
          <select name={tool} defaultValue={audienceOf(tools, tool)} aria-label={`Who may use ${tool}`}>
            {audiencesFor(tools, tool, me).map((audience) => (
              <option key={audience} value={audience}>
                {audience}
              </option>
            ))}
          </select>
        ) : (
          audienceOf(tools, tool)
        ),
    },
    ...(warnings.size > 0
      ? [{ title: "Remarks", of: (tool: string) => <span className="wrong">{warnings.get(tool)}</span> }]
      : []),
  ];
  return (
    <form onSubmit={submit}>
      <h2>Tools</h2>
      {tools.all.length === 0 ? (
        <Empty>None is known yet: verify the integration.</Empty>
      ) : (
        <>
          <Table columns={columns} rows={tools.all} keyOf={(tool) => tool} />
          <FormProblem error={change.error} />
          <div className="actions">
            {isChanging ? (
              <>
                <button type="button" onClick={() => setChanging(false)}>
                  Cancel
                </button>
                <button type="submit" className="main" disabled={change.isPending}>
                  Save
                </button>
              </>
            ) : (
              <button type="button" disabled={state === "deleting"} onClick={() => setChanging(true)}>
                Change who may use them
              </button>
            )}
          </div>
        </>
      )}
    </form>
  );
}
