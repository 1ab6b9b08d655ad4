// People: who belongs to the workspace, what each may spend, and inviting several with their grant.
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../app/api.ts";
import { CallError, call } from "../../app/call.ts";
import { useFilters } from "../../app/page.ts";
import { useChange, useRead } from "../../app/query.ts";
import { BudgetBar } from "../../charts/budget-bar.tsx";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Choice, FormProblem, StatusFilter } from "../../parts/field.tsx";
import { GrantFields } from "../../parts/grant-fields.tsx";
import { type Grant, readGrant } from "../../parts/grant-form.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { Name } from "../../parts/name.tsx";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

type User = Answer<"GET /v1/users">["data"][number];

export default function People() {
  const [filters, set] = useFilters({ status: "all" });
  const [isInviting, setInviting] = useState(false);
  const query = { status: filters.status === "all" ? undefined : filters.status };
  const list = useList("GET /v1/users", { query });
  return (
    <>
      <PageHead
        title="People"
        action={
          <button type="button" className="main" onClick={() => setInviting(true)}>
            Invite
          </button>
        }
      >
        Who belongs to the workspace, and what each may spend. Budgets reset on the first of the month, 00:00 UTC.
      </PageHead>
      <div className="filters">
        <StatusFilter value={filters.status} of={["all", "active", "removed"]} onStatus={(status) => set({ status })} />
        <SaveAsCsv name="GET /v1/users" input={{ query }} file="people.csv" />
      </div>
      <Rows list={list} empty={<Empty>Nobody has this status.</Empty>}>
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ user_id }) => user_id} />}
      </Rows>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}

const columns: Column<User>[] = [
  {
    title: "Person",
    isHead: true,
    of: ({ user_id, email }) => (
      <Link href={`/people/${user_id}`}>
        <Name of={email ?? user_id} />
      </Link>
    ),
  },
  { title: "Role", of: ({ tenant_role }) => tenant_role },
  { title: "Status", of: ({ status }) => status ?? "invited" },
  {
    title: "This month (UTC)",
    of: ({ user_id, email, tenant_role, status, has_grant, spent_usd, reserved_usd, limit_usd, resets_at }) =>
      status === "removed" ? (
        "–"
      ) : tenant_role === "owner" || has_grant ? (
        <BudgetBar
          label={email ?? user_id}
          spent={spent_usd}
          isInList
          reserved={reserved_usd}
          limit={limit_usd}
          resetsAt={resets_at}
        />
      ) : (
        "may not call models: no grant"
      ),
  },
  {
    title: "Last use of an active key",
    of: ({ status, last_used_at }) => (status === "removed" ? "–" : <When at={last_used_at} />),
  },
];

/** Lets the owner choose the member whose grant the invited people get a copy of. */
function LikeWhom({ grants, onGrant }: { grants: readonly Grant[]; onGrant: (grant: Grant | undefined) => void }) {
  const name = useNames(grants.map(({ dev_sub }) => dev_sub));
  return (
    <Choice
      label="Like"
      name="like"
      onChange={({ target }) => onGrant(grants.find(({ dev_sub }) => dev_sub === target.value))}
      options={[["", "nobody: the grant below"], ...grants.map(({ dev_sub }) => [dev_sub, name(dev_sub)] as const)]}
    />
  );
}

/** Each address is an invitation and a grant of its own: what failed is named, and the rest is done. */
function Invite({ onClose }: { onClose: () => void }) {
  const [failed, setFailed] = useState<Record<string, string>>({});
  const [done, setDone] = useState<string[]>([]);
  const [text, setText] = useState("");
  const [like, setLike] = useState<Grant>();
  const grants = useRead("GET /v1/grants", { query: { limit: 100 } });
  const invite = useChange(async ({ emails, grant }: { emails: string[]; grant: ReturnType<typeof readGrant> }) => {
    const problems: Record<string, string> = {};
    for (const email of emails) {
      try {
        const { user_id } = await call("POST /v1/users/invite", { body: { email } });
        await call("PUT /v1/grants/{dev_sub}", { parameters: { dev_sub: user_id }, body: grant });
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        if (emails.length === 1) throw error;
        problems[email] = error.problemOf("email") ?? error.message;
      }
    }
    return problems;
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const emails = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
    invite.mutate(
      { emails, grant: readGrant(new FormData(event.currentTarget), like) },
      {
        onSuccess: (problems) => {
          setFailed(problems);
          setDone((before) => [...before, ...emails.filter((email) => !(email in problems))]);
          setText(Object.keys(problems).join("\n"));
          if (Object.keys(problems).length === 0) onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Invite people" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="field">
          <label htmlFor="emails">E-mail addresses, one a line</label>
          <textarea
            id="emails"
            rows={4}
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
            aria-describedby="emails-hint"
          />
          <p id="emails-hint" className="quiet">
            Everybody gets the grant below, and a mail. An invitation lasts a week.
          </p>
        </div>
        {done.length > 0 && <p role="status">Invited: {done.join(", ")}</p>}
        {Object.entries(failed).map(([email, problem]) => (
          <p key={email} className="wrong" role="alert">
            {email}: {problem}
          </p>
        ))}
        {grants.data && grants.data.data.length > 0 && <LikeWhom grants={grants.data.data} onGrant={setLike} />}
        <GrantFields of={like} error={invite.error} key={like?.dev_sub} />
        <FormProblem error={invite.error} />
        <SubmitActions onClose={onClose} isPending={invite.isPending} action="Invite" pending="Inviting …" />
      </form>
    </Dialog>
  );
}
