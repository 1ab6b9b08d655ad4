// The console's start: addresses, then the sign-in, then the pages.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import "../style/base.css";
import { App } from "./app.tsx";
import { loadPlatform } from "./platform.ts";
import { queries } from "./query.ts";
import { comeBack, isComingBack, restore, SignInError, signIn } from "./session.ts";

const root = createRoot(document.getElementById("app") as HTMLElement);

/** The browser's Back shows a page as it was left: waiting for a sign-in that goes on elsewhere, or after the sign-out. It starts anew. */
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});

async function start(): Promise<void> {
  const { brand } = await loadPlatform();
  document.title = brand;
  if (isComingBack()) history.replaceState(null, "", await comeBack());
  else if (!(await restore())) await signIn();
  root.render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
}

function showFailure(error: unknown): void {
  root.render(
    <main className="alone">
      <h1>{error instanceof SignInError ? "The sign-in did not work" : "The console cannot start"}</h1>
      <p role="alert">{(error as Error).message}</p>
      <button
        type="button"
        className="main"
        onClick={() => (error instanceof SignInError ? signIn("/") : location.reload())}
      >
        {error instanceof SignInError ? "Sign in again" : "Try again"}
      </button>
    </main>,
  );
}

start().catch(showFailure);
