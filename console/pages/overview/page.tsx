// The workspace at a glance: this month's cost and where it leads, budgets that run out, credit, what is left to set up.
import { Link } from "wouter";
import { useIsOwner, useVisitor, useWorkspace } from "../../app/page.ts";
import { platform, platformNow } from "../../app/platform.ts";
import { useRead } from "../../app/query.ts";
import { BudgetBar, standing } from "../../charts/budget-bar.tsx";
import { forecast } from "../../charts/forecast.ts";
import { series } from "../../charts/series.ts";
import { Stack } from "../../charts/stack.tsx";
import { count, roundCount, share, usd } from "../../parts/money.ts";
import { Empty, Loaded } from "../../parts/state.tsx";
import { daysBetween, isoDay, monthOf, utcDay } from "../../parts/time.tsx";

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

  return (
    <>
      <h1>{workspace.name}</h1>
      <p className="quiet">
        {workspace.proxy_url && `Models answer at ${platform().proxy_url.replace("{slug}", workspace.slug)}`}
      </p>
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
          const expected = forecast(spent, costs.slice(0, past), month.days - past);
          return (
            <>
              <div className="cards">
                <Card
                  title={isOwner ? "Cost this month, at list price" : "Your cost this month, at list price"}
                  value={usd(spent)}
                >
                  {expected
                    ? `${usd(expected.month)} by the end of the month, if the last days go on`
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
                  <Card title="Saved by caching this month" value={usd(totals.saved_usd)}>
                    {totals.cached_share === undefined
                      ? ""
                      : `${share(totals.cached_share)} of all prompts was read from the cache`}
                  </Card>
                )}
                {platform().billing && <Credit />}
              </div>
              {spent > 0 ? (
                <Stack
                  columns={days}
                  series={series(points, days)}
                  known={[...new Set(points.map(({ entity }) => entity))]}
                  name={(entity) => entity}
                  columnName={utcDay}
                  format={usd}
                  summary="Cost by day (UTC) and model, this month"
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

function Card({ title, value, children }: { title: string; value: string; children: string }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      <p className="figure">{value}</p>
      <p className="quiet">{children}</p>
    </section>
  );
}

/** What is left of the free credit; the owner is led to what comes after it. */
function Credit() {
  const workspace = useWorkspace();
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const { left_tokens: left = 0, granted_tokens: granted = 0 } = me.free_credit ?? {};
  return (
    <section className="card">
      <h2>{workspace.has_payment_method ? "Payment" : "Free credit"}</h2>
      <p className="figure">{workspace.has_payment_method ? "Set up" : `${roundCount(left)} tokens left`}</p>
      <p className="quiet">
        {count(left)} of {count(granted)} tokens of free credit are left.{" "}
        {isOwner && (
          <Link href="/billing">{workspace.has_payment_method ? "Invoices and payment" : "Add a payment method"}</Link>
        )}
      </p>
    </section>
  );
}

/** Callers whose budget is nearly spent, so that the owner acts before their terminals stop. */
function NearCap() {
  const callers = useRead("GET /v1/callers", { query: { limit: 100 } });
  return (
    <Loaded query={callers}>
      {({ data }) => {
        const active = data.filter(({ status }) => status === "active");
        const near = active.filter(({ limit_usd: limit, spent_usd: spent, reserved_usd: reserved }) =>
          ["spent", "over 80 %"].includes(standing({ spent, reserved, limit })),
        );
        if (near.length === 0) return null;
        return (
          <section>
            <h2>
              Budgets near their end: {count(near.length)} of {count(active.length)}
            </h2>
            {near.map(({ caller_id, kind, name = caller_id, spent_usd, reserved_usd, limit_usd, resets_at }) => (
              <div key={caller_id}>
                <h3>
                  <Link href={kind === "person" ? `/people/${caller_id}` : `/keys?caller=${caller_id}`}>{name}</Link>
                </h3>
                <BudgetBar
                  label={name}
                  spent={spent_usd}
                  reserved={reserved_usd}
                  limit={limit_usd}
                  resetsAt={resets_at}
                />
              </div>
            ))}
          </section>
        );
      }}
    </Loaded>
  );
}
