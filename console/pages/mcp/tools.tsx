// The tools of an integration, and who may use each: everybody, owners alone, nobody.
import { type FormEvent, useState } from "react";
import type { Answer, CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange } from "../../app/query.ts";
import { FormProblem } from "../../parts/field.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Integration = Answer<"GET /v1/mcp-servers/{server_id}">;
type Rules = NonNullable<CallInput<"PUT /v1/mcp-servers/{server_id}">["body"]["tools"]>;
type Who = "everybody" | "owners" | "nobody";

function whoMay({ offered, owners_only }: Integration["tools"], tool: string): Who {
  if (offered && !offered.includes(tool)) return "nobody";
  return owners_only.includes(tool) ? "owners" : "everybody";
}

/** Reads the rules out of a form. Every tool is offered unless some are for nobody, so that tools to come are offered too. */
function rulesOf(tools: readonly string[], who: (tool: string) => Who): Rules {
  const offered = tools.filter((tool) => who(tool) !== "nobody");
  const owners_only = tools.filter((tool) => who(tool) === "owners");
  return { ...(offered.length < tools.length && { offered }), owners_only };
}

export function Tools({ of }: { of: Integration }) {
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
    change.mutate(rulesOf(tools.all, (tool) => form.get(tool) as Who));
  };
  const warnings = new Map(tool_warnings.map(({ tool, message }) => [tool, message]));
  const columns: Column<string>[] = [
    { title: "Tool", isHead: true, of: (tool) => <code>{`${name}___${tool}`}</code> },
    {
      title: "For",
      of: (tool) =>
        isChanging ? (
          <select name={tool} defaultValue={whoMay(tools, tool)} aria-label={`Who may use ${tool}`}>
            <option value="everybody">everybody</option>
            <option value="owners">owners</option>
            <option value="nobody">nobody</option>
          </select>
        ) : (
          whoMay(tools, tool)
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
