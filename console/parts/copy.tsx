// Copying a text. Where the browser gives no clipboard, the text is selected, so that the person copies it by hand.
import { useRef, useState } from "react";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    );
    setTimeout(() => setDone(false), 2_000);
  };
  return (
    <button type="button" className="copy" onClick={copy}>
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </button>
  );
}

/** A text of several lines with a button that copies it. A double click selects all of it. */
export function Snippet({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null);
  const select = () => {
    if (code.current) window.getSelection()?.selectAllChildren(code.current);
  };
  return (
    <div className="snippet">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard
        tabIndex={0}
        onDoubleClick={select}
      >
        <pre>
          <code ref={code}>{text}</code>
        </pre>
      </section>
      <Copy text={text} label={`Copy ${label}`} />
    </div>
  );
}
