// The calls that reached the local AWS endpoint, newest last, and the permissions that each role has used.
import type { Decision } from "../iam/iam.ts";

export type Call = {
  /** Milliseconds since the epoch, by the stack's clock. */
  at: number;
  /** The function whose keys signed the call, or whose keys assumed the role that did. */
  function?: string;
  /** The role's name. An unsigned call has none. */
  role?: string;
  /** Set if the call came by an address that the function had signed for somebody else. */
  isPresigned?: true;
  /** The instance of the function, or the RoleSessionName. */
  sessionName?: string;
  service: string;
  operation: string;
  /** The rights that the call needed, with its partition keys, and whether each was granted. */
  decisions: { action: string; resource: string; leadingKeys?: string | string[]; allowed: boolean }[];
  /** False if IAM or a trust policy denied the call. */
  allowed: boolean;
  /** The reason of a refusal or a failure. */
  reason?: string;
  /** The HTTP status; 0 as long as there is no answer. */
  status: number;
  /** The injected fault. */
  fault?: string;
  /** The time until the answer began. */
  durationMs: number;
};

/** How often a role used an action, on one kind of record if rights name kinds. */
export type Use = {
  role: string;
  action: string;
  /** The pattern of partition keys for which the action was allowed, e.g. `TENANT#*`. */
  leadingKeys?: string;
  allowed: number;
  denied: number;
  /** The statements that allowed or denied it. */
  statements: string[];
};

export class Calls {
  readonly #limit: number;
  #calls: Call[] = [];
  #dropped = 0;
  readonly #uses = new Map<string, Use>();

  /** @param limit the number of calls that are kept at least. Uses are counted over all calls. */
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

  /** Counts a decision for the permission report, once for each kind of record. */
  count(role: string, action: string, decision: Pick<Decision, "allowed" | "statements" | "leadingKeys">): void {
    const { allowed, statements, leadingKeys } = decision;
    for (const kind of leadingKeys ?? [undefined]) {
      const key = JSON.stringify([role, action, kind]);
      const named = kind !== undefined && { leadingKeys: kind };
      const use = this.#uses.get(key) ?? { role, action, ...named, allowed: 0, denied: 0, statements: [] };
      use[allowed ? "allowed" : "denied"] += 1;
      use.statements = [...new Set([...use.statements, ...statements])];
      this.#uses.set(key, use);
    }
  }

  all(): Call[] {
    return [...this.#calls];
  }

  /** Gives the calls after a cursor, which is 0 at first, and the next cursor. */
  since(cursor: number): { calls: Call[]; cursor: number } {
    return {
      calls: this.#calls.slice(Math.max(0, cursor - this.#dropped)),
      cursor: this.#dropped + this.#calls.length,
    };
  }

  uses(): Use[] {
    return [...this.#uses.values()].map((use) => ({ ...use }));
  }

  /** Forgets the calls. Cursors stay valid, and the uses stay counted. */
  clear(): void {
    this.#dropped += this.#calls.length;
    this.#calls = [];
  }
}
