// The workspace's settings: its name and region, its cap, its end; for a developer, leaving it.

import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import type { CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useLeave } from "../../app/leaving.tsx";
import { useIsOwner, useWorkspace } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { useChange } from "../../app/query.ts";
import { claims, refresh, signIn } from "../../app/session.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Choice, Field, FormProblem, SaveActions } from "../../parts/field.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { regionOptions } from "../../parts/regions.ts";

type Patch = CallInput<"PATCH /v1/tenants/{id}">["body"];

export default function Settings() {
  const isOwner = useIsOwner();
  return (
    <>
      <PageHead title="Settings" />
      {isOwner ? (
        <>
          <General />
          <Delete />
        </>
      ) : (
        <Leave />
      )}
    </>
  );
}

function General() {
  const workspace = useWorkspace();
  const save = useChange((body: Patch) =>
    call("PATCH /v1/tenants/{id}", { parameters: { id: workspace.tenant_id }, body }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const cap = String(form.get("monthly_cap_usd"));
    save.mutate({
      name: String(form.get("name")).trim(),
      default_region: form.get("default_region") as NonNullable<Patch["default_region"]>,
      monthly_cap_usd: cap === "" ? null : Number(cap),
      browser_origins: String(form.get("browser_origins"))
        .split(/[\s,]+/)
        .filter(Boolean),
    });
  };
  return (
    <form onSubmit={submit}>
      <NameField
        of={workspace}
        error={save.error}
        hint="Another name moves the workspace to another address: assistants and programs have to be set up again."
      />
      <Choice
        label="Region in which models run"
        name="default_region"
        defaultValue={workspace.default_region}
        options={regionOptions()}
      />
      <Field
        label="Cap for the whole workspace in a month, USD"
        name="monthly_cap_usd"
        type="number"
        min="0"
        step="0.01"
        defaultValue={workspace.monthly_cap_usd ?? ""}
        error={save.error}
        hint="At list price. Empty: no cap beside the people's budgets."
      />
      <Field
        label="Web pages that may call models from a browser"
        name="browser_origins"
        defaultValue={workspace.browser_origins?.join(" ") ?? ""}
        error={save.error}
        hint="Origins such as https://app.example.com, with spaces between them. Empty: none."
      />
      <FormProblem error={save.error} />
      <SaveActions of={save} saved="Saved. It holds within 60 seconds." />
    </form>
  );
}

/** A deletion asks for a sign-in of the last ten minutes. */
const recentMs = 9 * 60_000;

function Delete() {
  const workspace = useWorkspace();
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const remove = useChange(
    async () => {
      await call("DELETE /v1/tenants/{id}", { parameters: { id: workspace.tenant_id } });
      await refresh();
    },
    () => go("/onboarding"),
  );
  const isRecent = platformNow() - (claims()?.auth_time ?? 0) * 1_000 < recentMs;
  return (
    <section>
      <h2>Delete the workspace</h2>
      <p>
        Calls end within 60 seconds, and nobody can bring the workspace back. After 14 days everything in it is purged.
      </p>
      {isRecent ? (
        <button type="button" className="danger" onClick={() => setOpen(true)}>
          Delete this workspace
        </button>
      ) : (
        <button type="button" onClick={() => signIn("/settings", { prompt: "login" })}>
          Sign in again to delete
        </button>
      )}
      {isOpen && (
        <Confirm
          title={`Delete ${workspace.name}`}
          action="Delete"
          isPending={remove.isPending || typed !== workspace.name}
          error={remove.error}
          onClose={() => setOpen(false)}
          onConfirm={() => remove.mutate(undefined)}
        >
          <Field
            label={`Type ${workspace.name} to confirm`}
            name="name"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Confirm>
      )}
    </section>
  );
}

function Leave() {
  const workspace = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const leave = useLeave();
  return (
    <section>
      <h2>Leave {workspace.name}</h2>
      <p>Your grant and your keys here end. Only the owner can invite you again.</p>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Leave
      </button>
      {isOpen && (
        <Confirm
          title={`Leave ${workspace.name}`}
          action="Leave"
          isPending={leave.isPending}
          error={leave.error}
          onClose={() => setOpen(false)}
          onConfirm={() => leave.mutate(undefined)}
        >
          <p>Assistants that use your keys stop within 60 seconds.</p>
        </Confirm>
      )}
    </section>
  );
}
