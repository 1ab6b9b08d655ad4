// The calls that reached the local AWS endpoint, newest last, and which permissions each role has used.
import type { Decision } from "../iam/iam.ts";

export type Call = {
  /** Milliseconds since the epoch, by the stack's clock. */
  at: number;
  /** The function whose keys signed the call, or from whose keys they were assumed. */
  function?: string;
  /** The role's name; none for an unsigned call. */
  role?: string;
  /** The instance of the function, or the RoleSessionName. */
  sessionName?: string;
  service: string;
  operation: string;
  /** Each right that the call needed, with the partition keys it was about if any, and whether it was there. */
  decisions: { action: string; resource: string; leadingKeys?: string | string[]; allowed: boolean }[];
  /** False if IAM, or a trust policy, said no. */
  allowed: boolean;
  /** Why the call was refused or broke. */
  reason?: string;
  /** HTTP status; 0 while there is no answer, and if there never was one. */
  status: number;
  /** The fault that was injected. */
  fault?: string;
  /** Until the answer began. */
  durationMs: number;
};

/** How often a role used an action, on one kind of record where rights tell kinds. */
export type Use = {
  role: string;
  action: string;
  /** The partition keys for which it was allowed, as the policy writes them, e.g. `TENANT#*`. */
  leadingKeys?: string;
  allowed: number;
  denied: number;
  /** The statements that allowed or denied it. */
  statements: string[];
};

type Counted = { use: Use; statements: Set<string> };

export class Calls {
  readonly #limit: number;
  #calls: Call[] = [];
  #dropped = 0;
  readonly #uses = new Map<string, Counted>();

  /** @param limit how many calls are kept at least; uses are counted over all. */
  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  add(call: Call): void {
    this.#calls.push(call);
    // Dropping the older half at once keeps this cheap: once per `limit` calls, not once per call.
    if (this.#calls.length >= this.#limit * 2) {
      this.#dropped += this.#limit;
      this.#calls = this.#calls.slice(this.#limit);
    }
  }

  /** Counts one decision for the permission report, once for each kind of record that it was about. */
  count(role: string, action: string, decision: Pick<Decision, "allowed" | "statements" | "leadingKeys">): void {
    const { allowed, statements, leadingKeys } = decision;
    for (const kind of leadingKeys ?? [undefined]) {
      const entry = this.#entry(role, action, kind);
      entry.use[allowed ? "allowed" : "denied"] += 1;
      for (const statement of statements) entry.statements.add(statement);
    }
  }

  all(): Call[] {
    return [...this.#calls];
  }

  /** The calls after a cursor, 0 for the first time, and the cursor for the next time. */
  since(cursor: number): { calls: Call[]; cursor: number } {
    return {
      calls: this.#calls.slice(Math.max(0, cursor - this.#dropped)),
      cursor: this.#dropped + this.#calls.length,
    };
  }

  uses(): Use[] {
    return [...this.#uses.values()].map(({ use, statements }) => ({ ...use, statements: [...statements] }));
  }

  #entry(role: string, action: string, leadingKeys: string | undefined): Counted {
    const key = JSON.stringify([role, action, leadingKeys]);
    const known = this.#uses.get(key);
    if (known) return known;
    const use = {
      role,
      action,
      ...(leadingKeys !== undefined && { leadingKeys }),
      allowed: 0,
      denied: 0,
      statements: [],
    };
    const entry = { use, statements: new Set<string>() };
    this.#uses.set(key, entry);
    return entry;
  }

  /** Forgets the calls; cursors stay valid, and the uses stay counted. */
  clear(): void {
    this.#dropped += this.#calls.length;
    this.#calls = [];
  }
}
