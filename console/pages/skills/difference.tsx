// A file of a version beside the same file of another version, line by line.
import { diffLines } from "diff";
import type { Answer } from "../../app/api.ts";
import { useRead } from "../../app/query.ts";
import { Loaded } from "../../parts/state.tsx";

type Props = {
  name: string;
  path: string;
  version: number;
  /** The version that is compared; none where it has no such file. */
  against: number | undefined;
};

export function Difference({ name, path, version, against }: Props) {
  const of = (number: number) => ({ parameters: { name, version: String(number), path } });
  const file = "GET /v1/skills/{name}/versions/{version}/files/{path}";
  const now = useRead(file, of(version));
  const before = useRead(file, of(against ?? version), { enabled: against !== undefined });
  return (
    <Loaded query={now}>
      {(shown) =>
        against === undefined ? (
          <Lines before="" after={textOf(shown)} label={path} />
        ) : (
          <Loaded query={before}>
            {(other) => <Lines before={textOf(other)} after={textOf(shown)} label={path} />}
          </Loaded>
        )
      }
    </Loaded>
  );
}

const marks = { added: "+", removed: "-", same: " " };

function Lines({ before, after, label }: { before: string | undefined; after: string | undefined; label: string }) {
  if (before === undefined || after === undefined) return <p>The file is no text: its digest tells it apart.</p>;
  const parts = diffLines(before, after).flatMap(({ value, added, removed }) => {
    const kind: keyof typeof marks = added ? "added" : removed ? "removed" : "same";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => ({ kind, line }));
  });
  return (
    <section
      className="difference"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <pre>
        {parts.map(({ kind, line }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else that tells them apart
          <span key={at} className={`line ${kind}`}>
            {marks[kind]} {line}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Undefined for a file that is no UTF-8. */
function textOf({ content }: Answer<"GET /v1/skills/{name}/versions/{version}/files/{path}">): string | undefined {
  const bytes = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
