// A modal dialog, by the browser's own element: it keeps the focus and gives it back, Esc closes it, and the page behind is inert.
import { type ReactNode, useEffect, useRef } from "react";

type Props = {
  title: string;
  onClose: () => void;
  /** Esc closes the dialog only if this gives true. A click beside the dialog never closes it. */
  mayClose?: () => boolean;
  children: ReactNode;
};

export function Dialog({ title, onClose, mayClose = () => true, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    if (!dialog?.open) dialog?.showModal();
    // It goes without being closed, so the browser leads nobody back.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        if (mayClose()) onClose();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

/** The last line of a form in a dialog. @param pending what the button says while the platform works on it */
export function SubmitActions({
  onClose,
  isPending,
  action,
  pending,
}: {
  onClose: () => void;
  isPending: boolean;
  action: string;
  pending: string;
}) {
  return (
    <div className="actions">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" className="main" disabled={isPending}>
        {isPending ? pending : action}
      </button>
    </div>
  );
}

/** Asks before what cannot be taken back. `consequence` says what stops. */
export function Confirm({
  title,
  action,
  isPending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && (
        <p className="problem" role="alert">
          {error.message}
        </p>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={isPending} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
