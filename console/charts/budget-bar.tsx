// A budget: what is settled, what is reserved by calls under way, what is left, and how it will go.
import { platformNow } from "../app/platform.ts";
import { usd } from "../parts/money.ts";
import { utcDay } from "../parts/time.tsx";
import { spentAt } from "./forecast.ts";

type Props = {
  spent: number;
  reserved: number;
  limit: number | undefined;
  resetsAt: string;
  /** Mean cost of a day, where it is known. */
  dailyMean?: number | undefined;
  label: string;
};

/** How a budget stands, in a word that needs no colour. */
export function standing({ spent, reserved, limit }: Pick<Props, "spent" | "reserved" | "limit">) {
  if (limit === undefined) return "no cap";
  if (spent + reserved >= limit) return "spent";
  return spent >= 0.8 * limit ? "over 80 %" : "fine";
}

export function BudgetBar({ spent, reserved, limit, resetsAt, dailyMean = 0, label }: Props) {
  const state = standing({ spent, reserved, limit });
  const of = (value: number) => (limit ? Math.min(100, (100 * value) / limit) : 0);
  const crosses =
    limit !== undefined && state !== "spent"
      ? spentAt(platformNow(), limit - spent - reserved, dailyMean, Date.parse(resetsAt))
      : undefined;
  return (
    <div
      className={`budget ${state === "fine" || state === "no cap" ? "" : state === "spent" ? "is-spent" : "is-near"}`}
    >
      {limit !== undefined && (
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={`${label}: ${state}`}>
          <rect className="all" width="100" height="4" />
          <rect className="reserved" width={Math.min(100, of(spent) + of(reserved))} height="4" />
          <rect className="spent" width={of(spent)} height="4" />
        </svg>
      )}
      <p>
        {usd(spent)}
        {limit === undefined ? " spent, no cap" : ` of ${usd(limit)}`}
        {reserved > 0 && `, ${usd(reserved)} reserved`}, resets {utcDay(resetsAt)} 00:00 UTC
        {state !== "fine" && state !== "no cap" && <strong> · {state}</strong>}
        {crosses !== undefined && <strong> · will be spent on {utcDay(crosses)} at this pace</strong>}
      </p>
    </div>
  );
}
