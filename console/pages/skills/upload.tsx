// Uploading a skill: a folder of this machine, every file of it.
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import type { CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange } from "../../app/query.ts";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Field, FormProblem } from "../../parts/field.tsx";

type Body = CallInput<"POST /v1/skills">["body"];

/** Hidden files and packages are no part of a skill. */
const isSkipped = (path: string) => path.split("/").some((part) => part.startsWith(".") || part === "node_modules");

/** The files of a chosen folder, by their paths in it. */
async function filesOf(chosen: readonly File[]): Promise<Body["files"]> {
  const named = chosen.map((file) => ({ file, path: file.webkitRelativePath.split("/").slice(1).join("/") }));
  const wanted = named.filter(({ path }) => !isSkipped(path));
  return Promise.all(wanted.map(async ({ file, path }) => ({ path, content: base64(await file.arrayBuffer()) })));
}

function base64(bytes: ArrayBuffer): string {
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
}

export function UploadSkill({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation();
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const upload = useChange(async (change: string) => {
    const [folder] = chosen[0]?.webkitRelativePath.split("/") ?? [];
    const body: Body = { files: await filesOf(chosen), ...(folder && { name: folder }), ...(change && { change }) };
    return call("POST /v1/skills", { body });
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const change = String(new FormData(event.currentTarget).get("change"));
    upload.mutate(change, { onSuccess: ({ name, version }) => go(`/skills/${name}?version=${version}`) });
  };
  const { fields = [] } = (upload.error?.details ?? {}) as { fields?: { path: string; message: string }[] };
  return (
    <Dialog title="Upload a skill" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Its folder, with SKILL.md"
          name="folder"
          type="file"
          required
          // A folder is chosen, as every browser calls it.
          {...{ webkitdirectory: "" }}
          onChange={({ target }) => setChosen([...(target.files ?? [])])}
          hint={chosen.length > 0 ? `${chosen.length} files` : "The folder's name is the skill's name"}
        />
        <Field label="What changed, for the reviewer" name="change" />
        {fields.map(({ path, message }) => (
          <p key={`${path}${message}`} className="wrong">
            {path ? `${path}: ` : ""}
            {message}
          </p>
        ))}
        <FormProblem error={upload.error} />
        <SubmitActions onClose={onClose} isPending={upload.isPending} action="Upload" pending="Uploading …" />
      </form>
    </Dialog>
  );
}
