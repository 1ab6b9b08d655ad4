// One integration: its tools, whether it answers, its credential, and the calls of its tools.

import { type FormEvent, useState } from "react";
import { useLocation, useParams } from "wouter";
import type { Answer, CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { platformNow } from "../../app/platform.ts";
import { useChange, useRead } from "../../app/query.ts";
import { hourMs } from "../../charts/period.ts";
import { Confirm, Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Field, FormProblem } from "../../parts/field.tsx";
import { count } from "../../parts/money.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { AuthFields, readAuth } from "./auth-fields.tsx";
import { readSpec, SpecFields } from "./spec-fields.tsx";
import { SpecReport } from "./spec-report.tsx";
import { Tools } from "./tools.tsx";

type Integration = Answer<"GET /v1/mcp-servers/{server_id}">;
type LoggedCall = Answer<"GET /v1/mcp-servers/{server_id}/logs">["data"][number];

const lookMs = 3_000;
const settling: readonly string[] = ["creating", "updating", "deleting"];

export default function IntegrationPage() {
  const { id: server_id = "" } = useParams<{ id: string }>();
  const parameters = { server_id };
  const [isSettling, setSettling] = useState(true);
  const integration = useRead(
    "GET /v1/mcp-servers/{server_id}",
    { parameters },
    { refetchInterval: isSettling ? lookMs : false },
  );
  const isSettled = integration.data ? !settling.includes(integration.data.state) : integration.error !== null;
  if (isSettling === isSettled) setSettling(!isSettled);
  if (integration.error?.code === "not_found") {
    return (
      <>
        <PageHead title="Integration" parent={{ path: "/mcp", title: "MCP" }} />
        <Empty>There is no such integration. It may have been removed.</Empty>
      </>
    );
  }
  return (
    <Loaded query={integration}>
      {(known) => (
        <>
          <PageHead title={known.name} parent={{ path: "/mcp", title: "MCP" }} />
          <p role="status" className="facts">
            {known.state}
            {known.reason && `: ${known.reason}`}
            {settling.includes(known.state) && ", which takes up to a minute"}. Registered{" "}
            <When at={known.created_at} />
            {known.secret_set_at && (
              <>
                , credential of <When at={known.secret_set_at} />
              </>
            )}
            .
          </p>
          {known.endpoint && (
            <p>
              <code>{known.endpoint}</code>
            </p>
          )}
          <Actions of={known} />
          <Tools of={known} />
          {known.target_mode === "openapi" && known.state === "ready" && <Report parameters={parameters} />}
          <Logs parameters={parameters} />
        </>
      )}
    </Loaded>
  );
}

function Actions({ of: known }: { of: Integration }) {
  const { server_id, name, state, target_mode, provider_id } = known;
  const parameters = { server_id };
  const [, go] = useLocation();
  const [asked, setAsked] = useState<"credential" | "document" | "remove">();
  const close = () => setAsked(undefined);
  const verify = useChange(() => call("POST /v1/mcp-servers/{server_id}/verify", { parameters }));
  const remove = useChange(() => call("DELETE /v1/mcp-servers/{server_id}", { parameters }));
  return (
    <>
      <div className="actions">
        <button
          type="button"
          className="main"
          disabled={verify.isPending || state === "deleting"}
          onClick={() => verify.mutate(undefined)}
        >
          {verify.isPending ? "Asking it, which takes up to half a minute …" : "Verify"}
        </button>
        <button type="button" disabled={state === "deleting"} onClick={() => setAsked("credential")}>
          New credential
        </button>
        {target_mode === "openapi" && provider_id === undefined && (
          <button type="button" disabled={state === "deleting"} onClick={() => setAsked("document")}>
            New document
          </button>
        )}
        <button type="button" className="danger" disabled={state === "deleting"} onClick={() => setAsked("remove")}>
          Remove
        </button>
      </div>
      <FormProblem error={verify.error} />
      {verify.data && <Verification of={verify.data} />}
      {asked === "credential" && <NewCredential of={known} onClose={close} />}
      {asked === "document" && <NewDocument of={known} onClose={close} />}
      {asked === "remove" && (
        <Confirm
          title={`Remove ${name}`}
          action="Remove"
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => go("/mcp") })}
        >
          <p>Its tools end in every assistant, and its credential is deleted.</p>
        </Confirm>
      )}
    </>
  );
}

function Verification({ of }: { of: Answer<"POST /v1/mcp-servers/{server_id}/verify"> }) {
  const { verified, tool_count, message, changed } = of;
  if (!verified) {
    return (
      <p className="problem" role="alert">
        {message}
      </p>
    );
  }
  const told = Object.entries(changed).filter(([, names]) => names.length > 0);
  return (
    <p role="status">
      It answers, with {count(tool_count)} {tool_count === 1 ? "tool" : "tools"}.{" "}
      {told.map(([what, names]) => `${what}: ${names.join(", ")}`).join("; ")}
    </p>
  );
}

function NewCredential({
  of: { server_id, version, provider_id, auth },
  onClose,
}: {
  of: Integration;
  onClose: () => void;
}) {
  const change = useChange((body: CallInput<"PUT /v1/mcp-servers/{server_id}">["body"]) =>
    // Two people's changes do not overwrite each other unseen.
    call("PUT /v1/mcp-servers/{server_id}", { parameters: { server_id }, body, ifMatch: `"${version}"` }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // A provider says itself how its credential is sent.
    const body = provider_id ? { secret: String(form.get("secret")) } : { auth: readAuth(form) };
    change.mutate(body, { onSuccess: onClose });
  };
  return (
    <Dialog title="New credential" onClose={onClose}>
      <form onSubmit={submit}>
        <p>It takes the place of the present one without a gap.</p>
        {provider_id ? (
          <Field label="Credential" name="secret" type="password" required error={change.error} />
        ) : (
          <AuthFields kind={auth.kind} error={change.error} />
        )}
        <FormProblem error={change.error} />
        <SubmitActions onClose={onClose} isPending={change.isPending} action="Save" pending="Trying it first …" />
      </form>
    </Dialog>
  );
}

function NewDocument({
  of: { server_id, version, base_url, operations },
  onClose,
}: {
  of: Integration;
  onClose: () => void;
}) {
  const change = useChange((form: FormData) =>
    call("PUT /v1/mcp-servers/{server_id}", {
      parameters: { server_id },
      body: readSpec(form, operations),
      ifMatch: `"${version}"`,
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget), { onSuccess: onClose });
  };
  return (
    <Dialog title="New document" onClose={onClose}>
      <form onSubmit={submit}>
        <p>Tools whose method and path stay keep their names.</p>
        <SpecFields error={change.error} server={{ server_id, base_url, operations }} />
        <FormProblem error={change.error} />
        <SubmitActions onClose={onClose} isPending={change.isPending} action="Save" pending="Looking at it first …" />
      </form>
    </Dialog>
  );
}

function Report({ parameters }: { parameters: { server_id: string } }) {
  const report = useRead("GET /v1/mcp-servers/{server_id}/report", { parameters });
  return (
    <section>
      <h2>Its document</h2>
      <Loaded query={report}>{(known) => <SpecReport of={known} />}</Loaded>
    </section>
  );
}

function Logs({ parameters }: { parameters: { server_id: string } }) {
  const [from] = useState(() => new Date(platformNow() - 12 * hourMs).toISOString());
  const list = useList("GET /v1/mcp-servers/{server_id}/logs", { parameters, query: { from } });
  const name = useNames((list.data ?? []).map(({ caller_id }) => caller_id));
  const columns: Column<LoggedCall>[] = [
    { title: "When", of: ({ at }) => <When at={at} /> },
    { title: "Who", of: ({ caller_id }) => name(caller_id) },
    { title: "Tool", isHead: true, of: ({ tool }) => tool },
    { title: "Arguments", of: (one) => one.arguments.join(", ") || "–" },
    { title: "Outcome", of: ({ outcome }) => outcome },
    { title: "Milliseconds", isNumber: true, of: ({ ms }) => (ms === undefined ? "–" : count(ms)) },
  ];
  return (
    <section>
      <h2>Calls of the last twelve hours</h2>
      <p>
        Names of arguments are kept, values are not.{" "}
        <button type="button" className="link" onClick={() => list.refetch()}>
          Look again
        </button>
      </p>
      <Rows list={list} empty={<Empty>No tool of it was called.</Empty>}>
        {(rows) => (
          <Table columns={columns} rows={rows} keyOf={({ at, caller_id, tool }) => `${at}${caller_id}${tool}`} />
        )}
      </Rows>
    </section>
  );
}
