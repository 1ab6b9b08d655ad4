// A call from its admission to its settlement: it keeps the usage, the lease and the end of the call until it is settled.

import type { Reserved } from "../../domain/budget/admitted.ts";
import { leaveCrowd } from "../../domain/budget/crowd.ts";
import { Lease } from "../../domain/budget/lease.ts";
import { type Outcome, outcomeAtBounds } from "../../domain/budget/ledger-row.ts";
import type { Reservation } from "../../domain/budget/reservation.ts";
import { endedFallbacks, type Fallback } from "../../domain/budget/spending.ts";
import type { Price } from "../../domain/catalog/catalog.ts";
import { cost, costParts } from "../../domain/catalog/price.ts";
import type { RegionTarget } from "../../domain/catalog/region.ts";
import { type HostCounts, promptTokens, type RequestFeatures, totalTokens } from "../../domain/catalog/token-usage.ts";
import { record } from "../../domain/kernel/json.ts";
import type { KnownUsage } from "../../domain/ledger/ledger.ts";
import { isBillable, ModelHostError } from "../../domain/messages/model-host.ts";
import { UsageCollector } from "../../domain/messages/usage.ts";
import type { ProxyCall } from "./call.ts";
import { IdleTimeout } from "./idle-timeout.ts";
import type { ProxyServices } from "./services.ts";

/** The model host's call ends this long before the function's time is over, so that it can still be settled. */
const settlementMs = 20_000;

/** How a call ended: its answer was read to the end, or there was none. */
export type CallEnd = { clientLeft?: boolean } | { unanswered: unknown };

/** A region with the profile that serves the model there, and its price. */
export type PricedRoute = RegionTarget & { price: Price };

type AdmittedCall = {
  call: ProxyCall;
  admitted: Reserved;
  price: Price;
  features: RequestFeatures;
  /** The prompt's tokens until the model host has told them. */
  estimatedInput: number;
};

export class InFlightCall {
  readonly call: ProxyCall;
  readonly admitted: Reserved;
  /** Ends the model host's call when the function's time is nearly over, or a stream is silent for too long. */
  readonly signal: AbortSignal;
  readonly #deps: ProxyServices;
  #price: Price;
  readonly #usage: UsageCollector;
  readonly #estimatedInput: number;
  readonly #lease: Lease;
  readonly #giveUp: () => void;
  readonly #cancelDeadline: () => void;
  #silence: IdleTimeout | undefined;
  #firstEventAt: number | undefined;
  #hasBegun = false;
  #failure: { error: unknown } | undefined;
  #settlement: Promise<void> | undefined;
  #fallback: Fallback | undefined;

  constructor(deps: ProxyServices, { call, admitted, price, features, estimatedInput }: AdmittedCall) {
    const ending = new AbortController();
    const untilDeadline = Math.max(1, call.remainingMs() - settlementMs);
    this.call = call;
    this.admitted = admitted;
    this.signal = ending.signal;
    this.#giveUp = () => ending.abort();
    this.#deps = deps;
    this.#price = price;
    this.#usage = new UsageCollector(admitted.reservation.bounds, features);
    this.#estimatedInput = estimatedInput;
    this.#lease = new Lease(deps, admitted, () => this.#known().cost);
    this.#cancelDeadline = deps.schedule(untilDeadline, this.#giveUp);
  }

  /**
   * Waits for the beginning of the model host's answer; undefined if it takes longer.
   * @param until in milliseconds since the epoch
   */
  awaitFirstEvent<T>(pending: Promise<T>, until: number): Promise<T | undefined> {
    const { clock, schedule } = this.#deps;
    let cancel = () => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = schedule(Math.max(1, until - clock()), () => resolve(undefined));
    });
    const begun = pending.then((first) => {
      this.#firstEventAt = clock();
      return first;
    });
    return Promise.race([begun, late]).finally(() => cancel());
  }

  /**
   * Notes that the call goes to another region than its own. What was left out for its own region does not count there.
   * @param fallback set if the call found its own region short: once it is answered, further calls fall back
   */
  moveTo({ region, profileId, price }: PricedRoute, fallback?: Fallback): void {
    this.call.movedTo = region;
    this.call.facts.region = region;
    this.call.dropped.length = 0;
    this.#price = price;
    this.#lease.moveTo({ profile: profileId, region });
    this.#fallback = fallback;
  }

  /** Gives the model host up, from now on, once it has sent no event for as long as the stack allows. */
  boundSilence(): void {
    const { clock, schedule, settings } = this.#deps;
    this.#silence = new IdleTimeout({ schedule, clock, milliseconds: settings.silenceMs, act: this.#giveUp });
  }

  /** Whether the model host has begun to write, as far as it is known. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Reads an event of the model host's answer, or a whole message, for its usage. */
  observe(event: unknown, counts?: HostCounts): void {
    this.#silence?.restart();
    this.#usage.observe(event, this.#deps.clock(), counts);
    if (record(event).type !== "message_start") return;
    this.#hasBegun = true;
    this.#trueUp();
  }

  /** Lowers the reservation to what the input really costs: until now its tokens were a bound, and the model host has counted them. */
  #trueUp(): void {
    const prompt = this.#usage.prompt();
    if (!prompt) return;
    const { output } = this.admitted.reservation.bounds;
    this.#lease.trueUp(cost(this.#price, { ...prompt, output }), promptTokens(prompt));
  }

  /** Notes that the model host is going to answer in one piece, which takes its time. */
  awaitPiece(): void {
    this.#usage.awaitPiece(this.#deps.clock());
  }

  /** The end of a call that failed with this error: the part of an answer that came is settled as an answer. */
  endOf(error: unknown): CallEnd {
    if (error instanceof ModelHostError && error.failure === "timeout") this.#usage.giveUp();
    if (!this.#hasBegun) return { unanswered: error };
    this.breakOff(error);
    return {};
  }

  /** Notes why the model host's answer broke off. */
  breakOff(error: unknown): void {
    this.#failure = { error };
  }

  /**
   * Settles the call once it has ended. The first end counts, later ones wait for the same settlement. Never rejects.
   * A call without an answer costs nothing if the model host refused it, and its bounds if nobody knows whether it went on; an
   * invoice has what is known of it.
   */
  settle(end: CallEnd | Promise<CallEnd>): Promise<void> {
    this.#settlement ??= Promise.resolve(end).then((ended) => this.#settle(ended));
    return this.#settlement;
  }

  async #settle(end: CallEnd): Promise<void> {
    this.#cancelDeadline();
    this.#silence?.stop();
    // The place in the crowd is freed beside the settlement, so that another call need not wait for both.
    await Promise.all([this.#book(end), leaveCrowd(this.#deps.crowd, this.admitted.place)]);
  }

  async #book(end: CallEnd): Promise<void> {
    const { clock, settlementWriter, telemetry } = this.#deps;
    const begun = "unanswered" in end ? undefined : this.#fallback;
    const ended = endedFallbacks(this.admitted.spending, clock());
    const settled = { ...(await this.#lease.end()), begun, ended };
    const outcome = this.#outcomeOf(end, settled.reservation);
    if (!outcome) return settlementWriter.release(settled);
    await settlementWriter.settle(settled, outcome);
    const { facts, startedAt } = this.call;
    telemetry.finished(
      { ...facts, source: outcome.source },
      {
        ...outcome.usage,
        cost_nano_usd: outcome.cost,
        duration_ms: clock() - startedAt,
        first_byte_ms: (this.#firstEventAt ?? clock()) - startedAt,
      },
    );
  }

  /** The usage that an invoice bills if nobody hears the call's end. */
  #known(): KnownUsage {
    const usage = this.#usage.known(this.#estimatedInput, this.#deps.clock());
    return { cost: cost(this.#price, usage), tokens: totalTokens(usage) };
  }

  /** Undefined if the model host billed nothing. */
  #outcomeOf(end: CallEnd, reservation: Reservation): Outcome | undefined {
    const { session_id, agent_id } = this.call.facts;
    const origin = { key_id: this.call.keyId, session_id, agent_id };
    const known = this.#known();
    const estimated = (outcome: Outcome): Outcome => ({
      ...outcome,
      ...(known.cost < outcome.cost && { known }),
      ...(this.#deps.settings.logsInvocations && { provisional: true as const }),
    });
    const atBounds = estimated({ ...outcomeAtBounds(reservation), ...origin });
    if ("unanswered" in end) return isBillable(end.unanswered) ? atBounds : undefined;
    const hostStopped = this.#failure !== undefined && !isBillable(this.#failure.error);
    const report = this.#usage.report({ clientLeft: end.clientLeft === true, hostStopped });
    if (!report) return atBounds;
    const { usage } = report;
    const outcome = { ...report, cost: cost(this.#price, usage), parts: costParts(this.#price, usage), ...origin };
    return report.source === "estimated" ? estimated(outcome) : outcome;
  }
}
