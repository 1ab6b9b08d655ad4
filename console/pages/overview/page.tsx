// The workspace at a glance: this month's cost and where it leads, budgets that run out, credit, what is left to set up.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useIsOwner, useVisitor, useWorkspace } from "../../app/page.ts";
import { platform, platformNow, proxyUrl } from "../../app/platform.ts";
import { useRead } from "../../app/query.ts";
import { BudgetBar } from "../../charts/budget-bar.tsx";
import { firstFullDay, forecast } from "../../charts/forecast.ts";
import { series } from "../../charts/series.ts";
import { Stack } from "../../charts/stack.tsx";
import { Copy } from "../../parts/copy.tsx";
import { axisUsd, count, roundCount, share, usd } from "../../parts/money.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { dayEndsLocally, daysBetween, isoDay, monthOf, utcDay } from "../../parts/time.tsx";
import { NearCap } from "./near-cap.tsx";
import { SetUpLeft } from "./set-up-left.tsx";

export default function Overview() {
  const workspace = useWorkspace();
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const now = platformNow();
  const month = monthOf(now);
  const today = isoDay(now);
  const usage = useRead("GET /v1/usage", {
    query: { from: month.from, to: month.to, group_by: "day,model", limit: 1_000 },
  });
  const address = proxyUrl(workspace.slug);

  return (
    <>
      <PageHead title={workspace.name} action={<Copy text={address} label="Copy address" />}>
        Models answer at <code>{address}</code>
      </PageHead>
      <Loaded query={usage}>
        {({ data, totals }) => {
          const days = daysBetween(month.from, month.to);
          const points = data.map(({ day = "", model = "", cost_usd }) => ({
            at: day,
            entity: model,
            value: cost_usd,
          }));
          const costs = days.map((day) =>
            points.filter(({ at }) => at === day).reduce((sum, { value }) => sum + value, 0),
          );
          const spent = totals?.cost_usd ?? costs.reduce((sum, cost) => sum + cost, 0);
          const past = days.indexOf(today);
          const since = firstFullDay(month.from, workspace.created_at);
          const full = costs.filter((_, at) => at < past && (days[at] ?? "") >= since);
          const expected = forecast(spent, full, month.days - past);
          return (
            <>
              <div className="cards">
                <Card title={isOwner ? "Cost this month" : "Your cost this month"} value={usd(spent)}>
                  At list price.{" "}
                  {expected
                    ? `About ${usd(expected.month)} by the end of the month, at the pace of the last full days`
                    : "A forecast needs three full days"}
                </Card>
                {me.budget && (
                  <section className="card">
                    <h2>Your budget</h2>
                    <BudgetBar
                      label="Your budget"
                      spent={me.budget.spent_usd}
                      reserved={me.budget.reserved_usd}
                      limit={me.budget.limit_usd}
                      resetsAt={me.budget.resets_at}
                      dailyMean={isOwner ? undefined : expected?.dailyMean}
                    />
                    {me.budget.workspace_capped && (
                      <p className="wrong">The workspace's cap is reached: its owner can raise it.</p>
                    )}
                  </section>
                )}
                {totals?.saved_usd !== undefined && totals.saved_usd !== 0 && (
                  <Card title="Saved by caching" value={usd(totals.saved_usd)}>
                    {totals.cached_share === undefined
                      ? "This month"
                      : `${share(totals.cached_share)} of this month's prompts were read from the cache`}
                  </Card>
                )}
                {platform().billing && <Credit />}
              </div>
              {isOwner && <SetUpLeft hasCalled={(totals?.requests ?? 0) > 0} />}
              {spent > 0 ? (
                <Stack
                  columns={days}
                  series={series(points, days)}
                  known={[...new Set(points.map(({ entity }) => entity))]}
                  name={(entity) => entity}
                  columnName={utcDay}
                  format={usd}
                  axis={axisUsd}
                  summary={`Cost by day and model, this month. Days are UTC: they end at ${dayEndsLocally()} here`}
                  today={today}
                />
              ) : (
                <Empty>
                  Nothing was used this month. <Link href="/start">Make a first call</Link>
                </Empty>
              )}
            </>
          );
        }}
      </Loaded>
      {isOwner && <NearCap />}
    </>
  );
}

function Card({ title, value, children }: { title: string; value: string; children: ReactNode }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      <p className="figure">{value}</p>
      <p className="quiet">{children}</p>
    </section>
  );
}

/** Shows the rest of the free credit, and leads the owner to what comes after it. */
function Credit() {
  const workspace = useWorkspace();
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const { left_tokens: left = 0, granted_tokens: granted = 0 } = me.free_credit ?? {};
  return (
    <Card
      title={workspace.has_payment_method ? "Payment" : "Free credit"}
      value={workspace.has_payment_method ? "Ready" : `${roundCount(left)} tokens left`}
    >
      {count(left)} of {count(granted)} tokens of free credit are left.{" "}
      {isOwner && (
        <Link href="/billing">{workspace.has_payment_method ? "Invoices and payment" : "Add a payment method"}</Link>
      )}
    </Card>
  );
}
