// One run: what it printed, and the files that it left, for as long as they are kept.
import { useMutation } from "@tanstack/react-query";
import type { Answer } from "../../app/api.ts";
import { type CallError, call } from "../../app/call.ts";
import { useRead } from "../../app/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FormProblem } from "../../parts/field.tsx";
import { count } from "../../parts/money.ts";
import { saveFile } from "../../parts/save-csv.tsx";
import { Loaded } from "../../parts/state.tsx";

type File = Answer<"GET /v1/skills/{name}/runs/{run_id}">["files"][number];

export function RunDialog({ skill, id, onClose }: { skill: string; id: string; onClose: () => void }) {
  const run = useRead("GET /v1/skills/{name}/runs/{run_id}", { parameters: { name: skill, run_id: id } });
  return (
    <Dialog title="What the run printed" onClose={onClose}>
      <Loaded query={run}>
        {({ output, stderr, files, truncated, withheld_secrets = [], withheld_variables = [] }) => (
          <>
            {truncated && <p>It printed more than is kept: this is the beginning.</p>}
            {withheld_secrets.length + withheld_variables.length > 0 && (
              <p>
                It ran another version than the active one, and did not get{" "}
                {[...withheld_secrets, ...withheld_variables].join(", ")}.
              </p>
            )}
            <Printed title="Output" text={output} />
            {stderr && <Printed title="Error output" text={stderr} />}
            {files.length > 0 && <h3>Files</h3>}
            {files.map((file) => (
              <SaveRunFile key={file.n} of={{ skill, id }} file={file} />
            ))}
          </>
        )}
      </Loaded>
      <div className="actions">
        <button type="button" className="main" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Printed({ title, text }: { title: string; text: string | undefined }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {text === undefined ? (
        <p className="quiet">There is none, or not any more.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{text || "Nothing."}</pre>
      )}
    </section>
  );
}

function SaveRunFile({
  of: { skill, id },
  file: { n, name, size },
}: {
  of: { skill: string; id: string };
  file: File;
}) {
  const save = useMutation<void, CallError>({
    mutationFn: async () => {
      const parameters = { name: skill, run_id: id, n: String(n) };
      const { content } = await call("GET /v1/skills/{name}/runs/{run_id}/files/{n}", { parameters });
      saveFile(new Blob([Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))]), name);
    },
  });
  return (
    <p>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
        Save {name}
      </button>{" "}
      <span className="quiet">{count(size)} bytes</span>
      <FormProblem error={save.error} />
    </p>
  );
}
