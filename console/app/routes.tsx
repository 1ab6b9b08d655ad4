// Every page with its address. A page that a role lacks says who has it; the API decides again.

import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { Link, matchRoute, Route, Switch, useLocation, useRouter } from "wouter";
import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/state.tsx";
import { useVisitor } from "./page.ts";
import { PageFailure } from "./page-failure.tsx";

type Who = "member" | "owner" | "admin" | "anyone";

export type PageEntry = {
  path: string;
  title: string;
  who: Who;
  /** In the menu, in this order: pages of a group stand together. */
  group?: "use" | "access" | "tools" | "workspace" | "platform";
  page: ComponentType;
};

const pages: readonly PageEntry[] = [
  { path: "/", title: "Overview", who: "member", group: "use", page: lazy(() => import("../pages/overview/page.tsx")) },
  {
    path: "/start",
    title: "First call",
    who: "member",
    group: "use",
    page: lazy(() => import("../pages/start/page.tsx")),
  },
  { path: "/usage", title: "Usage", who: "member", group: "use", page: lazy(() => import("../pages/usage/page.tsx")) },
  { path: "/calls", title: "Calls", who: "member", group: "use", page: lazy(() => import("../pages/calls/page.tsx")) },
  { path: "/keys", title: "Keys", who: "member", group: "access", page: lazy(() => import("../pages/keys/page.tsx")) },
  {
    path: "/people",
    title: "People",
    who: "owner",
    group: "access",
    page: lazy(() => import("../pages/people/page.tsx")),
  },
  { path: "/people/:sub", title: "Person", who: "owner", page: lazy(() => import("../pages/people/person.tsx")) },
  {
    path: "/models",
    title: "Models",
    who: "member",
    group: "access",
    page: lazy(() => import("../pages/models/page.tsx")),
  },
  { path: "/mcp", title: "MCP", who: "member", group: "tools", page: lazy(() => import("../pages/mcp/page.tsx")) },
  { path: "/mcp/:id", title: "Integration", who: "member", page: lazy(() => import("../pages/mcp/integration.tsx")) },
  {
    path: "/skills",
    title: "Skills",
    who: "member",
    group: "tools",
    page: lazy(() => import("../pages/skills/page.tsx")),
  },
  { path: "/skills/:name/runs", title: "Runs", who: "member", page: lazy(() => import("../pages/skills/runs.tsx")) },
  { path: "/skills/:name", title: "Skill", who: "member", page: lazy(() => import("../pages/skills/skill.tsx")) },
  {
    path: "/billing",
    title: "Billing",
    who: "owner",
    group: "workspace",
    page: lazy(() => import("../pages/billing/page.tsx")),
  },
  {
    path: "/audit",
    title: "Audit",
    who: "owner",
    group: "workspace",
    page: lazy(() => import("../pages/audit/page.tsx")),
  },
  {
    path: "/settings",
    title: "Settings",
    who: "member",
    group: "workspace",
    page: lazy(() => import("../pages/settings/page.tsx")),
  },
  { path: "/workspaces", title: "Workspaces", who: "anyone", page: lazy(() => import("../pages/workspaces/page.tsx")) },
  { path: "/account", title: "Account", who: "anyone", page: lazy(() => import("../pages/account/page.tsx")) },
  {
    path: "/admin",
    title: "Platform",
    who: "admin",
    group: "platform",
    page: lazy(() => import("../pages/admin/page.tsx")),
  },
];

/** Whether the signed-in person may read a page. */
function useMay(): (who: Who) => boolean {
  const { me } = useVisitor();
  return (who) => {
    if (who === "anyone") return true;
    if (who === "admin") return me.platform_role === "platform_admin";
    return who === "owner" ? me.tenant_role === "owner" : me.tenant_id !== undefined;
  };
}

/** The pages of the menu, for the signed-in person. */
export function useMenu(): readonly PageEntry[] {
  const may = useMay();
  return pages.filter(({ group, who }) => group !== undefined && may(who));
}

/** All pages that have an address of their own, for the signed-in person. */
export function useGoals(): readonly PageEntry[] {
  const may = useMay();
  return pages.filter(({ path, who }) => !path.includes(":") && may(who));
}

/** The page that is shown. */
export function usePage(): PageEntry | undefined {
  const { parser } = useRouter();
  const [address] = useLocation();
  return pages.find(({ path }) => matchRoute(parser, path, address)[0]);
}

const whoHasIt: Record<Who, ReactNode> = {
  anyone: "",
  member: "This page belongs to a workspace.",
  owner: "Only the workspace's owner sees this page.",
  admin: "Only the platform's administrators see this page.",
};

export function Pages() {
  const may = useMay();
  return (
    <Switch>
      {pages.map(({ path, title, who, page: Page }) => (
        <Route key={path} path={path}>
          {may(who) ? (
            <PageFailure title={title}>
              <Suspense fallback={<Loading />}>
                <Page />
              </Suspense>
            </PageFailure>
          ) : (
            <>
              <PageHead title={title} />
              <p>{whoHasIt[who]}</p>
            </>
          )}
        </Route>
      ))}
      <Route>
        <PageHead title="There is no such page" />
        <p>
          The address may have been mistyped. <Link href="/">Overview</Link>
        </p>
      </Route>
    </Switch>
  );
}
