// A rotation: a new key of the same caller, while the old one goes on for a while.
import { useState } from "react";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useChange } from "../../app/query.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Choice } from "../../parts/field.tsx";
import type { Key } from "./key-table.tsx";

export function RotateKey({
  of: { key_id, name },
  onClose,
  onShown,
}: {
  of: Key;
  onClose: () => void;
  onShown: (secret: string) => void;
}) {
  const [hours, setHours] = useState("24");
  const [keyFor] = useState(idempotencyKeys);
  const rotate = useChange((overlap_seconds: number) =>
    call("POST /v1/keys/{key_id}/rotate", {
      parameters: { key_id },
      body: { overlap_seconds },
      idempotencyKey: keyFor(overlap_seconds),
    }),
  );
  return (
    <Confirm
      title={`Rotate ${name || "key"}`}
      action="Rotate"
      isPending={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onConfirm={() => rotate.mutate(Number(hours) * 3_600, { onSuccess: ({ key }) => onShown(key) })}
    >
      <p>You get a new key of the same caller. The old one goes on for a while, so that nothing stops in between.</p>
      <Choice
        label="The old key ends"
        value={hours}
        onChange={({ target }) => setHours(target.value)}
        options={[
          ["0", "within 60 seconds"],
          ["1", "in an hour"],
          ["24", "in a day"],
          ["168", "in a week"],
        ]}
      />
    </Confirm>
  );
}
