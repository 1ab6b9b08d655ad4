// An OpenAPI document: pasted, or read from a file of this machine.
import { useId, useState } from "react";
import type { CallError } from "../../app/call.ts";

export function SpecFile({ error }: { error: CallError | null }) {
  const id = useId();
  const [text, setText] = useState("");
  const problem = error?.problemOf("spec");
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-file`}>OpenAPI document from a file</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".json,.yaml,.yml"
          onChange={async ({ target }) => setText((await target.files?.[0]?.text()) ?? "")}
        />
      </div>
      <div className="field">
        <label htmlFor={id}>or its text</label>
        <textarea
          id={id}
          name="spec"
          rows={6}
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint`}
        />
        <p id={`${id}-hint`} className={problem ? "wrong" : "quiet"}>
          {problem ?? "OpenAPI 3.0 or 3.1, as JSON or YAML, up to 1 MiB"}
        </p>
      </div>
    </>
  );
}
