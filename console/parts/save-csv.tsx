// What a page shows, as a file that the API writes.
import { useMutation } from "@tanstack/react-query";
import type { CallInput, ReadName } from "../app/api.ts";
import { type CallError, download } from "../app/call.ts";
import { FormProblem } from "./field.tsx";

export function saveFile(content: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export function SaveAsCsv<N extends ReadName>({ name, input, file }: { name: N; input: CallInput<N>; file: string }) {
  const save = useMutation<void, CallError>({ mutationFn: async () => saveFile(await download(name, input), file) });
  return (
    <>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? "Saving …" : "Save as CSV"}
      </button>
      <FormProblem error={save.error} />
    </>
  );
}
