// "Go to": any page by a few letters of its name, from anywhere by Ctrl+K (on a Mac by Cmd+K).
import { type FormEvent, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { useGoals } from "./routes.tsx";

export function GoTo() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      // A question that waits for its answer goes first.
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <button type="button" className="go-to" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        Go to … <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Goals onClose={() => setOpen(false)} />}
    </>
  );
}

function Goals({ onClose }: { onClose: () => void }) {
  const goals = useGoals();
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const found = goals.filter(({ title }) => title.toLowerCase().includes(typed.trim().toLowerCase()));
  const open = (event: FormEvent) => {
    event.preventDefault();
    const [first] = found;
    if (!first) return;
    onClose();
    go(first.path);
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form onSubmit={open}>
        <Field
          label="Page"
          name="page"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          hint={found.length > 0 ? `Enter opens ${found[0]?.title}` : "No page is called so"}
        />
      </form>
      <ul className="goals">
        {found.map(({ path, title }) => (
          <li key={path}>
            <Link href={path} onClick={onClose}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
