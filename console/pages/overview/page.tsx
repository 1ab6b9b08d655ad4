// The workspace at a glance: this month's cost and where it leads, budgets that run out, credit, what is left to set up.
import { Link } from "wouter";
import { useIsOwner, useVisitor, useWorkspace } from "../../app/page.ts";
import { platform } from "../../app/platform.ts";
import { useRead } from "../../app/query.ts";
import { BudgetBar, standing } from "../../charts/budget-bar.tsx";
import { forecast } from "../../charts/forecast.ts";
import { series } from "../../charts/series.ts";
import { Stack } from "../../charts/stack.tsx";
import { count, usd } from "../../parts/money.ts";
import { useNames } from "../../parts/names.ts";
import { Empty, Loaded } from "../../parts/state.tsx";
import { daysBetween, isoDay, monthOf, utcDay } from "../../parts/time.tsx";

export default function Overview() {
  const workspace = useWorkspace();
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const now = Date.now();
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
        {({ data }) => {
          const days = daysBetween(month.from, month.to);
          const points = data.map(({ day = "", model = "", cost_usd }) => ({
            at: day,
            entity: model,
            value: cost_usd,
          }));
          const costs = days.map((day) =>
            points.filter(({ at }) => at === day).reduce((sum, { value }) => sum + value, 0),
          );
          const spent = costs.reduce((sum, cost) => sum + cost, 0);
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
                {isOwner && platform().billing && <Credit />}
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

function Credit() {
  const workspace = useWorkspace();
  return (
    <section className="card">
      <h2>Payment</h2>
      <p className="figure">{workspace.has_payment_method ? "Set up" : "Free credit"}</p>
      <p className="quiet">
        <Link href="/billing">
          {workspace.has_payment_method ? "Invoices and payment" : "See what is left, and add a payment method"}
        </Link>
      </p>
    </section>
  );
}

/** People whose budget is nearly spent, so that the owner acts before their terminals stop. */
function NearCap() {
  const grants = useRead("GET /v1/grants", { query: { limit: 100 } });
  const name = useNames();
  return (
    <Loaded query={grants}>
      {({ data }) => {
        const near = data.filter(({ monthly_budget_usd: limit, spent_usd: spent, reserved_usd: reserved }) => {
          return standing({ spent, reserved, limit }) !== "fine";
        });
        if (near.length === 0) return null;
        return (
          <section>
            <h2>
              Budgets near their end: {count(near.length)} of {count(data.length)}
            </h2>
            {near.map((grant) => (
              <div key={grant.dev_sub}>
                <h3>
                  <Link href={`/people/${grant.dev_sub}`}>{name(grant.dev_sub)}</Link>
                </h3>
                <BudgetBar
                  label={name(grant.dev_sub)}
                  spent={grant.spent_usd}
                  reserved={grant.reserved_usd}
                  limit={grant.monthly_budget_usd}
                  resetsAt={grant.resets_at}
                />
              </div>
            ))}
          </section>
        );
      }}
    </Loaded>
  );
}
