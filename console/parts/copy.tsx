// Copying a text. Where the browser refuses, a field shows it selected, so that the person copies it by hand.
import { useRef, useState } from "react";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
      setTimeout(() => setOutcome(undefined), 2_000);
    } catch {
      setOutcome("refused");
    }
  };
  return (
    <>
      <button type="button" className="copy" onClick={copy}>
        <span aria-live="polite">{outcome === "copied" ? "Copied" : label}</span>
      </button>
      {outcome === "refused" && (
        <textarea
          aria-label="The browser copies nothing for this page: copy it by hand"
          readOnly
          rows={Math.min(8, text.split("\n").length)}
          value={text}
          ref={(field) => field?.select()}
        />
      )}
    </>
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
