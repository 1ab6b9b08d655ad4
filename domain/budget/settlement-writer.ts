// Settles the proxy's calls. A settlement that the store does not take goes to the queue, and to the log if the queue fails too.

import type { Log } from "../kernel/log.ts";
import type { Queue } from "../kernel/queue.ts";
import type { Outcome } from "./ledger-row.ts";
import type { Settleable, Settlements } from "./settlement.ts";
import type { FallbackChange } from "./spending.ts";
import { type UnsettledUsage, unsettledMessage } from "./unsettled.ts";

type Settling = Pick<Settlements, "settle" | "release" | "giveUp">;

/** The methods never reject. */
export class SettlementWriter {
  readonly #settlements: Settling;
  readonly #queue: Pick<Queue<UnsettledUsage>, "send">;
  readonly #log: Pick<Log, "problem">;

  constructor(settlements: Settling, queue: Pick<Queue<UnsettledUsage>, "send">, log: Pick<Log, "problem">) {
    this.#settlements = settlements;
    this.#queue = queue;
    this.#log = log;
  }

  async settle(settled: Settleable, outcome: Outcome): Promise<void> {
    await this.#settlements.settle(settled, outcome).catch(() => this.#defer({ ...settled, outcome }));
  }

  async release(settled: Settleable): Promise<void> {
    await this.#settlements.release(settled).catch(() => this.#defer(settled));
  }

  async giveUp(settled: Settleable): Promise<void> {
    const { key, reservation } = settled;
    await this.#settlements.giveUp(key, reservation).catch(() => this.#defer({ ...settled, givenUp: true }));
  }

  /** A fallback is not deferred: the next call that finds its region short begins one. */
  async #defer({ begun: _begun, ended: _ended, ...unsettled }: UnsettledUsage & FallbackChange): Promise<void> {
    const { key, reservation } = unsettled;
    await this.#queue.send(unsettled).catch((error) => {
      const facts = { request_id: reservation.requestId, tenant_id: key.tenantId };
      this.#log.problem(unsettledMessage, { ...facts, unsettled }, error);
    });
  }
}
