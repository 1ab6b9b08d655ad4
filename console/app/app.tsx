// Who reads the console decides where they land: in their workspace, or where it is said why they have none.
import { lazy, Suspense, useEffect } from "react";
import { useLocation } from "wouter";
import { Loading, Problem } from "../parts/state.tsx";
import { CallError } from "./call.ts";
import { VisitorContext } from "./page.ts";
import { PageFailure } from "./page-failure.tsx";
import { useRead } from "./query.ts";
import { Pages } from "./routes.tsx";
import { refresh, signIn } from "./session.ts";
import { Shell } from "./shell.tsx";

const Onboarding = lazy(() => import("../pages/onboarding/page.tsx"));

export function App() {
  const me = useRead("GET /v1/me");
  const open = useRead("GET /v1/tenants/my");
  const [path, go] = useLocation();
  const isAdmin = me.data?.platform_role === "platform_admin";
  // The token's workspace may be suspended. `tenants/my` then names another one that is open, or none: the token's is in the list of all of
  // the person's workspaces.
  const named = me.data?.tenant_id;
  const isElsewhere = named !== undefined && !open.isFetching && open.data?.tenant_id !== named;
  const all = useRead("GET /v1/tenants", { query: { limit: 100 } }, { enabled: isElsewhere });
  const isRead = !open.isFetching && !(isElsewhere && all.isPending);
  const own = all.data?.data.flatMap((one) => ("tenant_role" in one ? [one] : [])) ?? [];
  const found = [open.data, ...own].find((one) => one?.tenant_id === named);
  // What is shown stays until it is known what comes instead.
  const workspace = found ?? (isElsewhere && isRead ? undefined : open.data);
  const again = () => Promise.all([me, open, all].map((read) => read.refetch()));
  const leadsElsewhere =
    me.data && me.data.next_tenant_id !== undefined && me.data.next_tenant_id !== me.data.tenant_id;

  // Another tab has chosen another workspace, or the person was just invited: a refresh brings the token there.
  useEffect(() => {
    if (leadsElsewhere) void refresh().then(() => Promise.all([me.refetch(), open.refetch()]));
  }, [leadsElsewhere, me.refetch, open.refetch]);

  const failure = me.error ?? (isWithoutWorkspace(open.error) ? all.error : open.error);
  if (failure) {
    if (failure.status === 401 || !(failure instanceof CallError)) void signIn();
    return (
      <main className="alone">
        <h1>The console cannot be shown</h1>
        <Problem error={failure} again={again} />
      </main>
    );
  }
  if (!me.data || (!workspace && !isRead)) return <Loading />;

  const visitor = { me: me.data, workspace };
  const staysWithout = ["/admin", "/workspaces", "/account"].some((page) => path.startsWith(page));
  const isAdminAtStart = isAdmin && !workspace && path === "/";
  // A suspended workspace can be read: its first page says what is the case and where to go on.
  const isAtTheDoor = workspace ? workspace.status === "suspended" && path === "/" : !(staysWithout || isAdminAtStart);
  if (isAdminAtStart) queueMicrotask(() => go("/admin"));
  return (
    <VisitorContext value={visitor}>
      {isAtTheDoor || path === "/onboarding" ? (
        <PageFailure title="Welcome">
          <Suspense fallback={<Loading />}>
            <Onboarding />
          </Suspense>
        </PageFailure>
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
