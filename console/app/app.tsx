// Who reads the console decides where they land: in their workspace, or where it is said why they have none.
import { lazy, Suspense, useEffect } from "react";
import { useLocation } from "wouter";
import { Loading, Problem } from "../parts/state.tsx";
import { CallError } from "./call.ts";
import { VisitorContext } from "./page.ts";
import { useRead } from "./query.ts";
import { Pages } from "./routes.tsx";
import { refresh, signIn } from "./session.ts";
import { Shell } from "./shell.tsx";

const Onboarding = lazy(() => import("../pages/onboarding/page.tsx"));

export function App() {
  const me = useRead("GET /v1/me");
  const workspace = useRead("GET /v1/tenants/my");
  const [path, go] = useLocation();
  const isAdmin = me.data?.platform_role === "platform_admin";
  const leadsElsewhere =
    me.data && me.data.next_tenant_id !== undefined && me.data.next_tenant_id !== me.data.tenant_id;

  // Another tab has chosen another workspace, or the person was just invited: a refresh brings the token there.
  useEffect(() => {
    if (leadsElsewhere) void refresh().then(() => Promise.all([me.refetch(), workspace.refetch()]));
  }, [leadsElsewhere, me.refetch, workspace.refetch]);

  const failure = me.error ?? (isWithoutWorkspace(workspace.error) ? null : workspace.error);
  if (failure) {
    if (failure.status === 401 || !(failure instanceof CallError)) void signIn();
    return (
      <main className="alone">
        <h1>The console cannot be shown</h1>
        <Problem error={failure} again={() => Promise.all([me.refetch(), workspace.refetch()])} />
      </main>
    );
  }
  if (!me.data || (workspace.isPending && !workspace.error)) return <Loading />;

  const visitor = { me: me.data, workspace: workspace.data };
  const staysWithout = ["/admin", "/workspaces", "/account"].some((open) => path.startsWith(open));
  const isAtTheDoor = !workspace.data && !(staysWithout || (isAdmin && path === "/"));
  if (isAdmin && !workspace.data && path === "/") queueMicrotask(() => go("/admin"));
  return (
    <VisitorContext value={visitor}>
      {isAtTheDoor || path === "/onboarding" ? (
        <Suspense fallback={<Loading />}>
          <Onboarding refusal={workspace.error} />
        </Suspense>
      ) : (
        <Shell>
          <Pages />
        </Shell>
      )}
    </VisitorContext>
  );
}

/** No workspace, or none that is open: no failure, but what the onboarding page tells. */
function isWithoutWorkspace(error: CallError | null): boolean {
  return error !== null && ["no_active_tenant", "tenant_suspended"].includes(error.code);
}
