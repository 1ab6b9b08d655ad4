// A name that may be long, such as an e-mail address: a line breaks after its marks rather than within a word.
import { Fragment } from "react";

export function Name({ of }: { of: string }) {
  const parts = of.split(/(?<=[@.])/);
  return parts.map((part, at) => (
    <Fragment key={parts.slice(0, at + 1).join("")}>
      {part}
      {at < parts.length - 1 && <wbr />}
    </Fragment>
  ));
}
