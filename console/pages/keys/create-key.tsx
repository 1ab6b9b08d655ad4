// A new key, for oneself or, by the owner, for a service account with limits of its own.
import { type FormEvent, useState } from "react";
import type { CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useIsOwner } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { useChange } from "../../app/query.ts";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Choice, Field, FormProblem } from "../../parts/field.tsx";
import { GrantFields } from "../../parts/grant-fields.tsx";
import { readGrant } from "../../parts/grant-form.ts";

export function CreateKey({ onClose, onShown }: { onClose: () => void; onShown: (secret: string) => void }) {
  const isOwner = useIsOwner();
  const [kind, setKind] = useState<"personal" | "service_account">("personal");
  // The same end for the same choice, so that a form that is sent again asks for the same key.
  const [openedAt] = useState(platformNow);
  const [keyFor] = useState(idempotencyKeys);
  const create = useChange((body: CallInput<"POST /v1/keys">["body"]) =>
    call("POST /v1/keys", { body, idempotencyKey: keyFor(body) }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const days = Number(form.get("days"));
    const body = {
      name: String(form.get("name")),
      kind,
      ...(days > 0 ? { expires_at: new Date(openedAt + days * 86_400_000).toISOString() } : {}),
      ...(kind === "service_account" ? { grant: readGrant(form) } : {}),
    };
    create.mutate(body, { onSuccess: ({ key }) => onShown(key) });
  };
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" name="name" required error={create.error} hint="Where it will be used" />
        {isOwner && (
          <Choice
            label="For"
            value={kind}
            onChange={({ target }) => setKind(target.value as typeof kind)}
            options={[
              ["personal", "me: it spends my budget"],
              ["service_account", "a service account, with a budget of its own"],
            ]}
          />
        )}
        <Choice
          label="Ends"
          name="days"
          defaultValue="90"
          options={[
            ["30", "in 30 days"],
            ["90", "in 90 days"],
            ["365", "in a year"],
            ["0", "never"],
          ]}
        />
        {kind === "service_account" && <GrantFields error={create.error} path="grant." />}
        <FormProblem error={create.error} />
        <SubmitActions onClose={onClose} isPending={create.isPending} action="Create" pending="Creating …" />
      </form>
    </Dialog>
  );
}
