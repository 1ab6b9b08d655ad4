// A secret that is shown once. It is in no query, address or storage, and goes with this dialog.
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

export function SecretDialog({ title, secret, onStored }: { title: string; secret: string; onStored: () => void }) {
  return (
    <Dialog
      title={title}
      onClose={onStored}
      mayClose={() => window.confirm("The key cannot be shown again. Have you stored it?")}
    >
      <p>This is the only time that the key is shown. Store it where you keep passwords.</p>
      <p>
        <code className="secret">{secret}</code>
      </p>
      <div className="actions">
        <Copy text={secret} label="Copy key" />
        <button type="button" className="main" onClick={onStored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
