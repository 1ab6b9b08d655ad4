// One skill: a version's files beside those of the active one, its activation, the way back, and its environment.

import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useFilters, useIsOwner, useVisitor } from "../../app/page.ts";
import { useChange, useRead } from "../../app/query.ts";
import { mayPropose, mayRemoveSkill } from "../../app/rights.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Choice, FormProblem } from "../../parts/field.tsx";
import { count } from "../../parts/money.ts";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { Difference } from "./difference.tsx";
import { Environment } from "./environment.tsx";
import { type Review as ReviewedEnvironment, Variables, waitsForOwner } from "./variables.tsx";

type Skill = Answer<"GET /v1/skills/{name}">;
type Version = Answer<"GET /v1/skills/{name}/versions/{version}">;
type File = Version["files"][number];

export default function SkillPage() {
  const { name = "" } = useParams<{ name: string }>();
  const { me } = useVisitor();
  const skill = useRead("GET /v1/skills/{name}", { parameters: { name } });
  const [filters, set] = useFilters({ version: "" });
  if (skill.error?.code === "not_found") {
    return (
      <>
        <PageHead title={name} parent={{ path: "/skills", title: "Skills" }} />
        <Empty>There is no such skill. It may have been removed.</Empty>
      </>
    );
  }
  return (
    <Loaded query={skill}>
      {(known) => {
        // Not everybody may read a version that nobody has reviewed.
        const newest = known.versions.at(-1)?.version ?? known.latest_version;
        const version = Number(filters.version || newest);
        return (
          <>
            <PageHead title={known.name} parent={{ path: "/skills", title: "Skills" }} />
            <p>{known.description}</p>
            <p className="quiet facts">
              {known.kind}, {known.status}
              {known.active_version !== undefined && `, version ${known.active_version}`}
              {known.activated_at && (
                <>
                  , since <When at={known.activated_at} />
                </>
              )}
              {known.kind === "script" &&
                `; runs up to ${known.timeout_seconds} s ${known.network === "internet" ? "and may open connections" : "without a network"}`}
            </p>
            <div className="filters">
              <Choice
                label="Version"
                isWide
                value={String(version)}
                onChange={({ target }) => set({ version: target.value })}
                options={known.versions.map((one) => [
                  String(one.version),
                  `${one.version}${one.version === known.active_version ? ", active" : ""}${one.change ? `: ${one.change}` : ""}`,
                ])}
              />
              <Actions of={known} version={version} mayRemove={mayRemoveSkill(known, me)} />
            </div>
            {known.kind === "script" && (
              <p>
                <Link href={`/skills/${known.name}/runs`}>Runs of its script</Link>
              </p>
            )}
            <Review of={known} version={version} />
            {known.kind === "script" && mayPropose(known, me) && <Environment name={known.name} />}
          </>
        );
      }}
    </Loaded>
  );
}

type ActionsProps = { of: Skill; version: number; mayRemove: boolean };

function Actions({ of: { name, versions, active_version, status }, version, mayRemove }: ActionsProps) {
  const isOwner = useIsOwner();
  const [, go] = useLocation();
  // What is confirmed is what the dialog showed when it was opened: the platform refuses it if it has changed since.
  const [reviewed, setReviewed] = useState<ReviewedEnvironment>();
  const [isRemoving, setRemoving] = useState(false);
  const close = () => {
    setReviewed(undefined);
    setRemoving(false);
  };
  const digest = versions.find((one) => one.version === version)?.digest ?? "";
  const parameters = { name };
  const environment = useRead("GET /v1/skills/{name}/env", { parameters }, { enabled: isOwner });
  const activate = useChange((env_digest: string) =>
    call("POST /v1/skills/{name}/activate", { parameters, body: { version, digest, env_digest } }),
  );
  const deactivate = useChange(() => call("POST /v1/skills/{name}/deactivate", { parameters }));
  const remove = useChange(() => call("DELETE /v1/skills/{name}", { parameters }));
  const isBack = active_version !== undefined && version < active_version;
  const isAgain = version === active_version;
  const verb = isBack ? "Go back to" : "Activate";
  const title = isAgain ? `Activate version ${version} again` : `${verb} version ${version}`;
  return (
    <div className="actions">
      {environment.data && (!isAgain || waitsForOwner(environment.data)) && (
        <button type="button" className="main" onClick={() => setReviewed(environment.data)}>
          {title}
        </button>
      )}
      {isOwner && status === "active" && (
        <button type="button" disabled={deactivate.isPending} onClick={() => deactivate.mutate(undefined)}>
          Deactivate
        </button>
      )}
      {mayRemove && (
        <button type="button" className="danger" onClick={() => setRemoving(true)}>
          Remove
        </button>
      )}
      <FormProblem error={deactivate.error} />
      {reviewed && (
        <Confirm
          title={`${title} of ${name}`}
          action={isBack ? "Go back" : "Activate"}
          isPending={activate.isPending}
          error={activate.error}
          onClose={close}
          onConfirm={() => activate.mutate(reviewed.env_digest ?? "", { onSuccess: close })}
        >
          <p>Every member's assistants use it from then on. You say with it that you have read these files:</p>
          <p>
            <code className="secret">{digest}</code>
          </p>
          <p>and that its script may have this environment:</p>
          <Variables of={reviewed} />
        </Confirm>
      )}
      {isRemoving && (
        <Confirm
          title={`Remove ${name}`}
          action="Remove"
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => go("/skills") })}
        >
          <p>All its versions and its environment go, too.</p>
        </Confirm>
      )}
    </div>
  );
}

/** Shows a version to its reviewer: warnings, and each file beside the one that members use now. */
function Review({ of: { name, active_version, versions }, version }: { of: Skill; version: number }) {
  const earlier = versions.filter((one) => one.version < version).at(-1)?.version;
  const against = active_version !== undefined && active_version !== version ? active_version : earlier;
  const read = (number: number) => ({ parameters: { name, version: String(number) } });
  const shown = useRead("GET /v1/skills/{name}/versions/{version}", read(version));
  const other = useRead("GET /v1/skills/{name}/versions/{version}", read(against ?? version), {
    enabled: against !== undefined,
  });
  const author = useNames([shown.data?.author]);
  return (
    <Loaded query={shown}>
      {({ files, warnings, change, author: by, created_at }) => (
        <>
          <p>
            Version {version} of {author(by)}, <When at={created_at} />
            {change && `: ${change}`}
          </p>
          {warnings.length > 0 && (
            <>
              <h2>To look at</h2>
              <ul>
                {warnings.map(({ path, line, message }) => (
                  <li key={`${path}${line}${message}`} className="wrong">
                    {[path, line].filter(Boolean).join(":")} {message}
                  </li>
                ))}
              </ul>
            </>
          )}
          <Files name={name} version={version} against={against} files={files} before={other.data?.files ?? []} />
        </>
      )}
    </Loaded>
  );
}

type FilesProps = {
  name: string;
  version: number;
  against: number | undefined;
  files: readonly File[];
  before: readonly File[];
};

function Files({ name, version, against, files, before }: FilesProps) {
  const [path, setPath] = useState("SKILL.md");
  const digests = new Map(before.map((file) => [file.path, file.digest]));
  const standing = (file: File) =>
    !digests.has(file.path) ? "new" : digests.get(file.path) === file.digest ? "same" : "changed";
  const gone = before.filter((file) => !files.some((one) => one.path === file.path));
  const columns: Column<File>[] = [
    {
      title: "File",
      isHead: true,
      of: (file) => (
        <button type="button" className="link" onClick={() => setPath(file.path)}>
          {file.path}
        </button>
      ),
    },
    { title: "Bytes", isNumber: true, of: ({ size }) => count(size) },
    ...(against === undefined ? [] : [{ title: `Against version ${against}`, of: standing }]),
  ];
  return (
    <>
      <h2>Files</h2>
      <Table columns={columns} rows={files} keyOf={(file) => file.path} />
      {gone.length > 0 && <p>No longer there: {gone.map((file) => file.path).join(", ")}</p>}
      <h3>{path}</h3>
      {files.some((file) => file.path === path) ? (
        <Difference
          name={name}
          path={path}
          version={version}
          against={digests.has(path) ? against : undefined}
          key={`${version}${path}`}
        />
      ) : (
        <p>This version has no such file.</p>
      )}
    </>
  );
}
