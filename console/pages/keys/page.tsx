// API keys: one's own, and for the owner everybody's, with the service accounts that have keys of their own.
import { useState } from "react";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { StatusFilter } from "../../parts/field.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { Only } from "../../parts/only.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { Empty } from "../../parts/state.tsx";
import { CreateKey } from "./create-key.tsx";
import { type Act, KeyTable } from "./key-table.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { ServiceAccounts } from "./service-accounts.tsx";

export default function Keys() {
  const [filters, set] = useFilters({ status: "active", care: "", caller: "" });
  const [act, setAct] = useState<Act>();
  const isOwner = useIsOwner();
  const needsCare = filters.care !== "";
  const query = {
    caller_id: filters.caller || undefined,
    // Only an active key can need care.
    ...(needsCare ? { needs_care: "true" } : { status: filters.status === "all" ? undefined : filters.status }),
  };
  const list = useList("GET /v1/keys", { query });
  const close = () => setAct(undefined);
  const show = (secret: string) => setAct({ kind: "shown", secret });
  return (
    <>
      <PageHead
        title="Keys"
        action={
          <button type="button" className="main" onClick={() => setAct({ kind: "create" })}>
            Create key
          </button>
        }
      >
        A key lets a program call models without a person signed in, and spends its caller's budget.
      </PageHead>
      <div className="filters">
        <StatusFilter
          value={needsCare ? "active" : filters.status}
          of={["active", "expired", "revoked", "all"]}
          onStatus={(status) => set({ status, care: "" })}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={needsCare}
            onChange={({ target }) => set({ care: target.checked ? "yes" : "" })}
          />
          Only those that need care: without an end, or unused for 90 days
        </label>
        <SaveAsCsv name="GET /v1/keys" input={{ query }} file="keys.csv" />
      </div>
      {filters.caller && <OnlyOf callerId={filters.caller} onAll={() => set({ caller: "" })} />}
      <Rows list={list} empty={<Empty>{emptiness(needsCare ? "care" : filters.status)}</Empty>}>
        {(rows) => <KeyTable rows={rows} onAct={setAct} areMixed={!needsCare && filters.status === "all"} />}
      </Rows>
      {isOwner && <ServiceAccounts />}
      {act?.kind === "create" && <CreateKey onClose={close} onShown={show} />}
      {act?.kind === "rotate" && <RotateKey of={act.key} onClose={close} onShown={show} />}
      {act?.kind === "revoke" && <RevokeKey of={act.key} onClose={close} />}
      {act?.kind === "shown" && <SecretDialog title="Your new key" what="key" secret={act.secret} onStored={close} />}
    </>
  );
}

/** The sentence that stands in place of an empty list of keys. */
function emptiness(asked: string): string {
  if (asked === "care") return "No key needs care.";
  return asked === "active" ? "There is no key yet. A program needs one to call models." : "No key has this status.";
}

function OnlyOf({ callerId, onAll }: { callerId: string; onAll: () => void }) {
  const name = useNames([callerId]);
  return <Only of="keys of" name={name(callerId)} all="Keys of everybody" onAll={onAll} />;
}
