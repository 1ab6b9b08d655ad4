// Settles the proxy's calls. What the store does not take is written to the log, from where the meter settles it.
import type { Log } from "../log.ts";
import type { Outcome, Settleable, Settlements } from "./settlement.ts";
import { unsettledMessage } from "./unsettled.ts";

/** Its methods never reject. */
export class SettlementWriter {
  readonly #settlements: Pick<Settlements, "settle" | "release">;
  readonly #log: Pick<Log, "problem">;

  constructor(settlements: Pick<Settlements, "settle" | "release">, log: Pick<Log, "problem">) {
    this.#settlements = settlements;
    this.#log = log;
  }

  async settle(settled: Settleable, outcome: Outcome): Promise<void> {
    await this.#settlements.settle(settled, outcome).catch((error) => this.#write(settled, outcome, error));
  }

  async release(settled: Settleable): Promise<void> {
    await this.#settlements.release(settled).catch((error) => this.#write(settled, undefined, error));
  }

  #write({ key, reservation }: Settleable, outcome: Outcome | undefined, error: unknown): void {
    const facts = { request_id: reservation?.requestId, tenant_id: key.tenantId };
    this.#log.problem(unsettledMessage, { ...facts, unsettled: { key, reservation, outcome } }, error);
  }
}
