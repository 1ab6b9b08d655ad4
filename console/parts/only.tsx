// A filter that is chosen by a name in a row: the name as what is pressed, and what says that a list is filtered.
import { Name } from "./name.tsx";

/** A name in a row, which shows what has this name alone. */
export function Narrow({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" className="link" dir="auto" onClick={onClick}>
      <Name of={children} />
    </button>
  );
}

/** Says what a list is filtered by, and ends it. */
export function Only({ of, name, all, onAll }: { of: string; name: string; all: string; onAll: () => void }) {
  return (
    <p>
      Only {of} <b dir="auto">{name}</b>.{" "}
      <button type="button" className="link" onClick={onAll}>
        {all}
      </button>
    </p>
  );
}
