// Where somebody lands who has no open workspace: the form for a first one, or why there is none.
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { isWaiting } from "../../app/membership.ts";
import { useIsOwner, useVisitor, type Workspace } from "../../app/page.ts";
import { platform } from "../../app/platform.ts";
import { useChange } from "../../app/query.ts";
import { refresh, signOut } from "../../app/session.ts";
import { Choice, FormProblem } from "../../parts/field.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { OtherAccounts } from "../../parts/other-accounts.tsx";
import { regionOptions } from "../../parts/regions.ts";
import { When } from "../../parts/time.tsx";
import { Invitations } from "../workspaces/invitations.tsx";

export default function Onboarding() {
  const { me, workspace } = useVisitor();
  const isInvited = me.memberships.some(isWaiting);
  const open = me.memberships.filter(({ status, tenant_status }) => status === "active" && tenant_status !== "deleted");
  const deleted = me.memberships.filter(
    ({ status, tenant_status }) => status === "active" && tenant_status === "deleted",
  );
  const removed = me.memberships
    .filter(({ status }) => status === "removed")
    .toSorted((one, other) => ((one.removed_at ?? "") < (other.removed_at ?? "") ? 1 : -1))[0];
  const waits = platform().approval === "manual" && me.approval_status === "pending";
  return (
    <main className="alone">
      <h1>{platform().brand}</h1>
      <Invitations to="/start" />
      {workspace?.status === "suspended" ? (
        <Suspended of={workspace} />
      ) : !workspace && open.length > 1 ? (
        <p>
          You belong to several workspaces: <Link href="/workspaces">choose one</Link>.
        </p>
      ) : waits ? (
        <p>
          You are signed in as {me.email}. An administrator of the platform has to approve you before you can open a
          workspace; you will get a mail. An invitation to somebody else's workspace works at once.
        </p>
      ) : (
        <>
          {deleted.map((one) => (
            <Deleted key={one.tenant_id} of={one} />
          ))}
          {deleted.length === 0 && !isInvited && removed?.removed_at && (
            <section role="status">
              <h2>You no longer belong to the workspace</h2>
              <p>
                This is so since <When at={removed.removed_at} />: its owner removed you, you left it, or the invitation
                ended. You can be invited again, or open a workspace of your own.
              </p>
            </section>
          )}
          <NewWorkspace />
        </>
      )}
      <OtherAccounts />
      <p className="quiet">
        Signed in as {me.email ?? me.user_id}.{" "}
        <button type="button" className="link" onClick={() => signOut()}>
          Sign out
        </button>
      </p>
    </main>
  );
}

export function NewWorkspace() {
  const [, go] = useLocation();
  const [keyFor] = useState(idempotencyKeys);
  const create = useChange(
    async (body: { name: string; default_region: "eu-central-1" }) => {
      const made = await call("POST /v1/tenants", { body, idempotencyKey: keyFor(body) });
      // The token is refreshed, because only one that is made from now on names the workspace.
      await refresh();
      return made;
    },
    () => go("/start"),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = {
      name: String(form.get("name")).trim(),
      default_region: form.get("default_region") as "eu-central-1",
    };
    create.mutate(body);
  };
  return (
    <form onSubmit={submit}>
      <h2>Name your workspace</h2>
      <p>Its name makes its address. You can change it later; then the address changes, too.</p>
      <NameField error={create.error} hint="Usually your company's name" />
      <Choice
        label="Region in which models run"
        name="default_region"
        defaultValue={platform().default_region}
        options={regionOptions()}
      />
      <FormProblem error={create.error} />
      <button type="submit" className="main" disabled={create.isPending}>
        {create.isPending ? "Creating …" : "Create"}
      </button>
    </form>
  );
}

type Membership = ReturnType<typeof useVisitor>["me"]["memberships"][number];

function Deleted({ of: { tenant_id, tenant_name = tenant_id, tenant_role } }: { of: Membership }) {
  return (
    <section role="status">
      <h2 dir="auto">{tenant_name} is deleted</h2>
      <p>
        {tenant_role === "owner"
          ? "Nobody can bring it back. Everything in it is purged 14 days after the deletion."
          : "Its owner has deleted it. You can be invited to another workspace, or open one of your own."}
      </p>
    </section>
  );
}

function Suspended({ of: { name, suspended_reason: reason } }: { of: Workspace }) {
  const isOwner = useIsOwner();
  return (
    <section>
      <h2 dir="auto">{name} is suspended</h2>
      {reason && <p className="problem">{reason}</p>}
      <p>
        {isOwner
          ? "Calls are refused until the reason is mended. You can read everything, take access away, and see what is to pay."
          : "Calls are refused until its owner has mended the reason. You can read what you have used."}
      </p>
      <ul className="steps">
        {isOwner && (
          <li>
            <Link href="/billing">Billing: what is to pay</Link>
          </li>
        )}
        <li>
          <Link href="/usage">Usage and all other pages of it</Link>
        </li>
        <li>
          <Link href="/workspaces">Other workspaces</Link>
        </li>
      </ul>
    </section>
  );
}
