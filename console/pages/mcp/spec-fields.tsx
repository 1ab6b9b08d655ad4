// An OpenAPI document, its address and the choice of its operations, and what becomes of them.
import { useId, useRef, useState } from "react";
import type { Answer, CallInput } from "../../app/api.ts";
import { type CallError, call } from "../../app/call.ts";
import { useChange } from "../../app/query.ts";
import { Field, FormProblem } from "../../parts/field.tsx";
import { readAuth } from "./auth-fields.tsx";
import { SpecReport } from "./spec-report.tsx";

type Source = Pick<CallInput<"POST /v1/mcp-specs/check">["body"], "spec" | "base_url" | "operations">;
type Server = Pick<Answer<"GET /v1/mcp-servers/{server_id}">, "server_id" | "base_url" | "operations">;
type Props = { error: CallError | null; server?: Server | undefined };

/**
 * The document, its address and the choice of operations, out of a form with `SpecFields`. Lists of the choice that the form does not show stay.
 */
export function readSpec(form: FormData, kept: Server["operations"] = {}): Source {
  const listed = (name: string) =>
    String(form.get(name) ?? "")
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  const [base_url, tags, paths] = [String(form.get("base_url") ?? "").trim(), listed("tags"), listed("paths")];
  const { tags: _, paths: __, ...others } = kept;
  const operations = { ...others, ...(tags.length > 0 && { tags }), ...(paths.length > 0 && { paths }) };
  return { spec: String(form.get("spec")), ...(base_url !== "" && { base_url }), operations };
}

/** @property server the integration whose document is replaced */
export function SpecFields({ error, server }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const check = useChange((form: FormData) => {
    const auth = form.has("kind") ? { auth: readAuth(form) } : {};
    return call("POST /v1/mcp-specs/check", {
      body: { ...readSpec(form, server?.operations), ...auth, server_id: server?.server_id },
    });
  });
  const problem = (error ?? check.error)?.problemOf("spec");
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
          {problem ?? "OpenAPI 3.0, 3.1 or Swagger 2.0, as JSON or YAML, up to 256 KiB; the API takes larger ones"}
        </p>
      </div>
      <Field
        label="Address of the API"
        name="base_url"
        type="url"
        defaultValue={server?.base_url}
        error={error ?? check.error}
        hint="In place of the one in the document; https://…"
      />
      <Field
        label="Only tags"
        name="tags"
        defaultValue={server?.operations?.tags?.join(", ")}
        error={error ?? check.error}
        hint="Separated by commas; empty for all"
      />
      <Field
        label="Only paths"
        name="paths"
        defaultValue={server?.operations?.paths?.join(", ")}
        error={error ?? check.error}
        hint="With all below them, e.g. /pets"
      />
      <div className="actions">
        <button
          ref={button}
          type="button"
          disabled={check.isPending || text === ""}
          onClick={() => button.current?.form && check.mutate(new FormData(button.current.form))}
        >
          {check.isPending ? "Reading the document …" : "See what becomes of it"}
        </button>
      </div>
      <FormProblem error={check.error} />
      {check.data && <SpecReport of={check.data} />}
    </>
  );
}
