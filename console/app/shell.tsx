// What surrounds each page: menu, workspace, person.
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { GoTo } from "./go-to.tsx";
import { JoinedLately } from "./leaving.tsx";
import { useVisitor } from "./page.ts";
import { platform } from "./platform.ts";
import { useMenu, usePage } from "./routes.tsx";
import { signOut } from "./session.ts";

export function Shell({ children }: { children: ReactNode }) {
  const { me, workspace } = useVisitor();
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const title = usePage()?.title;

  // A page that was opened from the menu is read from its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: two pages of the same title are two pages
  useEffect(() => {
    document.title = title ? `${title} · ${platform().brand}` : platform().brand;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [title, path]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header>
        <Link href="/" className="brand">
          {platform().brand}
        </Link>
        <Link
          href="/workspaces"
          className="workspace"
          title={`Switch workspace${workspace ? `: this is ${workspace.slug}` : ""}`}
        >
          {workspace?.name ?? "Workspaces"}
        </Link>
        <span className="person">
          <GoTo />
          <Link href="/account">{me.email ?? "Account"}</Link>
          <button type="button" onClick={() => signOut()}>
            Sign out
          </button>
        </span>
      </header>
      <Menu path={path} />
      <main id="main" ref={main} tabIndex={-1}>
        <Offline />
        <JoinedLately />
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

function Menu({ path }: { path: string }) {
  const menu = useMenu();
  const list = useRef<HTMLElement>(null);
  // On a phone the menu is one line, which may not show the present page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the present page changes with the path
  useEffect(() => {
    const menu = list.current;
    if (!menu) return;
    // The observer reports once at its beginning, and again when a phone is turned.
    const resized = new ResizeObserver(() => {
      const present = menu.querySelector<HTMLElement>("[aria-current]");
      if (present) menu.scrollLeft = present.offsetLeft - (menu.clientWidth - present.offsetWidth) / 2;
    });
    resized.observe(menu);
    return () => resized.disconnect();
  }, [path]);
  return (
    <nav aria-label="Pages" ref={list}>
      {menu.map(({ path: to, title, group }, at) => (
        <Link
          key={to}
          href={to}
          className={at > 0 && menu[at - 1]?.group !== group ? "begins" : ""}
          aria-current={path === to ? "page" : path.startsWith(`${to}/`) ? "true" : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
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
