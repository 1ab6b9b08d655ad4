// Guards: what must hold of a row, so that a write to it takes effect. A guard is one value: `holds` evaluates it on a state that is known,
// and the store compiles it to the condition of its write (adapters/dynamodb/budget/guard-condition.ts).

/** A number of a row. A row that lacks it has 0. */
export type Figure = "spent" | "committed" | "inflight" | "tat" | "allowance" | "held";

/** A name that a row may have. */
export type Label = "overdraft" | "tatRate" | "allowanceOf";

type Comparison = { is: "<" | "<=" | ">" | ">="; bound: number };

/** `rule` names the guard, in one word. No two guards of a write have the same. */
export type Guard = { rule: string } & (
  | ({ figure: Figure } & Comparison)
  /** A window counts what calls of a while will likely cost. */
  | ({ window: string } & Comparison)
  | { label: Label; is: "none" }
  | { label: Label; is: "same" | "other" | "none or same"; as: string }
  /** Whether the row has a reservation or a tombstone of the request. */
  | { request: string; is: "absent" }
  | { request: string; is: "present" }
  | { request: string; is: "at"; version: number }
);

/** A row whose guards can be evaluated. */
export type GuardedRow = { readonly [figure in Figure]?: number | undefined } & {
  readonly [label in Label]?: string | undefined;
} & {
  readonly windows?: Readonly<Record<string, number>> | undefined;
  readonly reservations: readonly { requestId: string; version?: number }[];
  readonly tombstones?: readonly { requestId: string }[];
};

export function holds(guard: Guard, row: GuardedRow): boolean {
  if ("figure" in guard) return compares(row[guard.figure] ?? 0, guard);
  if ("window" in guard) return compares(row.windows?.[guard.window] ?? 0, guard);
  if ("label" in guard) return fits(row[guard.label], guard);
  const own = ({ requestId }: { requestId: string }) => requestId === guard.request;
  const reservation = row.reservations.find(own);
  if (guard.is === "at") return reservation?.version === guard.version;
  const isThere = reservation !== undefined || row.tombstones?.some(own) === true;
  return isThere === (guard.is === "present");
}

/** The first guard that the row does not keep; undefined if it keeps all. */
export function failing(guards: readonly Guard[], row: GuardedRow): Guard | undefined {
  return guards.find((guard) => !holds(guard, row));
}

export function allHold(guards: readonly Guard[], row: GuardedRow): boolean {
  return failing(guards, row) === undefined;
}

/** Compares a number as a guard does. */
export function compares(number: number, { is, bound }: Comparison): boolean {
  switch (is) {
    case "<":
      return number < bound;
    case "<=":
      return number <= bound;
    case ">":
      return number > bound;
    case ">=":
      return number >= bound;
  }
}

/** The request has neither a reservation nor a tombstone. */
export const isNew = ({ requestId }: { requestId: string }): Guard => ({
  rule: "new",
  request: requestId,
  is: "absent",
});

export const isThere = ({ requestId }: { requestId: string }): Guard => ({
  rule: "there",
  request: requestId,
  is: "present",
});

/** The reservation is as it was seen last: each change gives it another version. */
export const isUnchanged = ({ requestId, version }: { requestId: string; version: number }): Guard => ({
  rule: "unchanged",
  request: requestId,
  is: "at",
  version,
});

function fits(label: string | undefined, guard: Extract<Guard, { label: Label }>): boolean {
  switch (guard.is) {
    case "none":
      return label === undefined;
    case "same":
      return label === guard.as;
    case "other":
      return label !== guard.as;
    case "none or same":
      return label === undefined || label === guard.as;
  }
}
