// What surrounds each page: menu, workspace, person.
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { useVisitor } from "./page.ts";
import { platform } from "./platform.ts";
import { pages, useMay } from "./routes.tsx";
import { signOut } from "./session.ts";

export function Shell({ children }: { children: ReactNode }) {
  const { me, workspace } = useVisitor();
  const may = useMay();
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const title = pages.find((page) => page.path === path)?.title;

  // A page that was opened from the menu is read from its top.
  useEffect(() => {
    document.title = title ? `${title} · ${platform().brand}` : platform().brand;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [title]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header>
        <Link href="/" className="brand">
          {platform().brand}
        </Link>
        <Link href="/workspaces" className="workspace" title="Switch workspace">
          {workspace?.name ?? "Workspaces"}
        </Link>
        <span className="person">
          <Link href="/account">{me.email ?? "Account"}</Link>
          <button type="button" onClick={() => signOut()}>
            Sign out
          </button>
        </span>
      </header>
      <nav aria-label="Pages">
        {pages
          .filter(({ inMenu, who }) => inMenu && may(who))
          .map(({ path: to, title: name }) => (
            <Link key={to} href={to} aria-current={path === to ? "page" : undefined}>
              {name}
            </Link>
          ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <Offline />
        {workspace?.status === "suspended" && (
          <p className="problem" role="status">
            This workspace is suspended{workspace.suspended_reason ? `: ${workspace.suspended_reason}` : ""}. It can be
            read, and access can be reduced. <Link href="/billing">Billing</Link>
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

function Offline() {
  const isOnline = useSyncExternalStore(
    (changed) => {
      window.addEventListener("online", changed);
      window.addEventListener("offline", changed);
      return () => {
        window.removeEventListener("online", changed);
        window.removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
  return isOnline ? null : (
    <p className="problem" role="status">
      You are offline. What you see may be old.
    </p>
  );
}
