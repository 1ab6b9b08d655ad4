// A name that may be long, such as an e-mail address: a line breaks after its marks rather than within a word, and never within the last
// letters of a key.
import { Fragment } from "react";

export function Name({ of }: { of: string }) {
  const parts = of.split(/(?<=[@.])|(?=…)/);
  return parts.map((part, at) => (
    <Fragment key={parts.slice(0, at + 1).join("")}>
      {part.startsWith("…") ? <span className="whole">{part}</span> : part}
      {/[@.]$/.test(part) && <wbr />}
    </Fragment>
  ));
}
