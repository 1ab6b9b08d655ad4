// A secret that is shown once. It is in no query, address or storage, and goes with this dialog.
import type { ReactNode } from "react";
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

type Props = {
  title: string;
  /** The secret's name for people, e.g. `key`. */
  what: string;
  secret: string;
  onStored: () => void;
  /** Values that are needed together with the secret. */
  children?: ReactNode;
};

export function SecretDialog({ title, what, secret, onStored, children }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onStored}
      mayClose={() => window.confirm(`The ${what} cannot be shown again. Have you stored it?`)}
    >
      {children}
      <p>This is the only time that the {what} is shown. Store it where you keep passwords.</p>
      <p>
        <code className="secret">{secret}</code>
      </p>
      <div className="actions">
        <Copy text={secret} label={`Copy ${what}`} />
        <button type="button" className="main" onClick={onStored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
