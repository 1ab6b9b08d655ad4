// A key's end, for ever.
import { call } from "../../app/call.ts";
import { useChange } from "../../app/query.ts";
import { Confirm } from "../../parts/dialog.tsx";
import type { Key } from "./key-table.tsx";

export function RevokeKey({ of: { key_id, name }, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useChange(() => call("DELETE /v1/keys/{key_id}", { parameters: { key_id } }));
  return (
    <Confirm
      title={`Revoke ${name || "key"}`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
    >
      <p>Programs that use it are refused within 60 seconds. A revoked key never works again.</p>
    </Confirm>
  );
}
