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
  /** True in a list of bars, whose head says when all of them reset. */
  isInList?: boolean;
};

/** How a budget stands, in a word that needs no colour. */
export function standing({ spent, reserved, limit }: Pick<Props, "spent" | "reserved" | "limit">) {
  if (limit === undefined) return "no cap";
  if (spent + reserved >= limit) return "spent";
  return spent >= 0.8 * limit ? "over 80%" : "fine";
}

const marks = { "no cap": "", fine: "", "over 80%": "▲ over 80%", spent: "■ spent" };
const classes = { "no cap": "", fine: "", "over 80%": "is-near", spent: "is-spent" };

export function BudgetBar({ spent, reserved, limit, resetsAt, dailyMean = 0, label, isInList = false }: Props) {
  const state = standing({ spent, reserved, limit });
  const of = (value: number) => (limit ? Math.min(100, (100 * value) / limit) : 0);
  const crosses =
    limit !== undefined && state !== "spent"
      ? spentAt(platformNow(), limit - spent - reserved, dailyMean, Date.parse(resetsAt))
      : undefined;
  return (
    <div className={`budget ${classes[state]}`}>
      {limit !== undefined && (
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={`${label}: ${state}`}>
          <rect className="all" width="100" height="4" />
          <rect className="reserved" width={Math.min(100, of(spent) + of(reserved))} height="4" />
          <rect className="spent" width={of(spent)} height="4" />
        </svg>
      )}
      <p>
        <b>{usd(spent)}</b>
        {limit === undefined ? " spent, no cap" : ` of ${usd(limit)}`}
        {reserved > 0 && `, ${usd(reserved)} reserved`} {marks[state] && <span className="badge">{marks[state]}</span>}
      </p>
      {crosses !== undefined && <p>Will be spent on {utcDay(crosses)} at this pace</p>}
      {!isInList && (
        <p className="quiet">
          {state === "spent" && "Calls are refused until the owner raises it, or it resets. "}
          Resets {utcDay(resetsAt)} 00:00 UTC
        </p>
      )}
    </div>
  );
}
