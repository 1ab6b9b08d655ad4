// Callers whose budget is nearly spent, so that the owner acts before their terminals stop.
import { Link } from "wouter";
import { useRead } from "../../app/query.ts";
import { BudgetBar, standing } from "../../charts/budget-bar.tsx";
import { count } from "../../parts/money.ts";
import { Name } from "../../parts/name.tsx";
import { usePace } from "../../parts/pace.ts";
import { callersOf } from "./set-up-left.tsx";

export function NearCap() {
  const callers = useRead(...callersOf);
  const active = callers.data?.data.filter(({ status }) => status === "active") ?? [];
  const near = active.filter(({ limit_usd: limit, spent_usd: spent, reserved_usd: reserved }) =>
    ["spent", "over 80%"].includes(standing({ spent, reserved, limit })),
  );
  const pace = usePace(near.length > 0);
  if (near.length === 0) return null;
  return (
    <section>
      <h2>
        Budgets near their end: {count(near.length)} of {count(active.length)}
      </h2>
      <div className="cards">
        {near.map(({ caller_id, kind, name = caller_id, spent_usd, reserved_usd, limit_usd, resets_at }) => (
          <section key={caller_id} className="card">
            <h3 dir="auto">
              <Link href={kind === "person" ? `/people/${caller_id}` : "/keys"}>
                <Name of={name} />
              </Link>
            </h3>
            <BudgetBar
              label={name}
              spent={spent_usd}
              reserved={reserved_usd}
              limit={limit_usd}
              resetsAt={resets_at}
              dailyMean={pace(caller_id)}
            />
          </section>
        ))}
      </div>
    </section>
  );
}
