// The calendar of billing periods (docs.stripe.com/billing/subscriptions/billing-cycle).

export type Anchor = { day_of_month: number; hour: number; minute: number; second: number };

export function anchorAt(seconds: number): Anchor {
  const date = new Date(seconds * 1000);
  return {
    day_of_month: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** The first anchor after a time, in seconds. A month without the day of the anchor has it on its last day. */
export function nextAnchor(anchor: Anchor, after: number): number {
  const date = new Date(after * 1000);
  for (let month = date.getUTCMonth(); ; month += 1) {
    const at = anchorIn(anchor, date.getUTCFullYear(), month);
    if (at > after) return at;
  }
}

function anchorIn({ day_of_month, hour, minute, second }: Anchor, year: number, month: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day_of_month, lastDay), hour, minute, second) / 1000;
}
