// One instance of a function: its clock, its connection to the store with all that goes wrong on the way, and the product's own
// code over them. The function dies or stands still at any await.
import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { idleSliceStore } from "../../adapters/dynamodb/budget/idle-slices.ts";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { waitingRoom } from "../../adapters/dynamodb/budget/waiting-room.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import type { BudgetDependencies } from "../../domain/budget/admit.ts";
import { IdleSlices } from "../../domain/budget/idle-slices.ts";
import { Reclaim } from "../../domain/budget/reclaim.ts";
import { Settlements } from "../../domain/budget/settlement.ts";
import { SettlementWriter } from "../../domain/budget/settlement-writer.ts";
import type { SpendingStore } from "../../domain/budget/spending.ts";
import type { UnsettledUsage } from "../../domain/budget/unsettled.ts";
import { documentClientOf } from "../support/memory-dynamodb/document-client.ts";
import type { Stores } from "./product.ts";
import { type Call, tableName, type World } from "./world.ts";

/** One attempt of the store's clients ends after this (adapters/dynamodb/hot-path-client.ts). */
const timeoutMs = 2_000;
const attempts = 3;

export class Instance {
  readonly spending: SpendingStore;
  /** The dependencies of an admission. */
  readonly budget: BudgetDependencies;
  readonly settlements: Settlements;
  readonly reclaim: Reclaim;
  readonly writer: SettlementWriter;
  /** The call that the function works at. */
  call: Call | undefined;
  isDead = false;
  readonly #world: World;
  readonly #skew: number;
  #frozenUntil = 0;
  #wasFrozen = false;

  constructor(world: World) {
    const { random, mutant } = world;
    this.#world = world;
    this.#skew = random.between(-500, 500);
    const client = documentClientOf((command) => this.#send(command, attempts));
    const sendsOnce = documentClientOf((command) => this.#send(command, mutant.sendsAdmissions ?? 1));
    const { clock } = this;
    const facts = { clock, modelOf: (profile: string) => profile };
    const stores: Stores = {
      spending: spendingStore({ client, sendsOnce, tableName, clock }),
      ledger: ledgerStore(rowsOf(client, tableName)),
      transactions: ledgerTransactions(rowsOf(client, tableName)),
    };
    const deps = { ...stores, ...mutant.stores?.(stores), ...facts };
    this.spending = deps.spending;
    this.reclaim = new Reclaim(deps);
    this.settlements = new Settlements(deps);
    const queue = { send: (unsettled: UnsettledUsage) => this.#queue(unsettled) };
    const log = { problem: () => world.problem("usage went to the log, though the queue stood") };
    this.writer = new SettlementWriter(this.settlements, queue, log);
    this.budget = {
      spending: deps.spending,
      reclaim: this.reclaim,
      idleSlices: new IdleSlices({ store: idleSliceStore(rowsOf(client, tableName)), clock }),
      waitingRoom: waitingRoom({ client, tableName, places: world.places, clock }),
      release: (settled) => this.writer.release(settled),
      giveUp: (settled) => this.writer.giveUp(settled),
      clock,
      pause: this.pause,
      jitter: () => random.between(0.5, 1.5),
    };
  }

  get isFree(): boolean {
    return !this.isDead && !this.call && this.#frozenUntil <= this.#world.time.now;
  }

  readonly clock = (): number => Math.round(this.#world.time.now + this.#skew);

  readonly pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => this.#world.time.after(milliseconds, () => this.#deliver(resolve)));

  readonly schedule = (milliseconds: number, act: () => void): (() => void) => {
    let isCancelled = this.#world.mutant.neverRenews === true;
    this.#world.time.after(milliseconds, () => {
      if (!isCancelled) this.#deliver(() => !isCancelled && act());
    });
    return () => {
      isCancelled = true;
    };
  };

  /** Delivers an event to this function: not at all if it is dead, and later if it stands still. */
  #deliver(act: () => void): void {
    const { time, random, faults } = this.#world;
    if (this.isDead) return;
    if (time.now < this.#frozenUntil) {
      time.at(this.#frozenUntil, () => this.#deliver(act));
      return;
    }
    if (faults.dies > 0 && random.happens(faults.dies)) this.#die();
    else if (faults.freezes > 0 && !this.#wasFrozen && random.happens(faults.freezes)) this.#freeze(act);
    else act();
  }

  #die(): void {
    this.isDead = true;
    this.#world.count("deaths");
    if (this.call) this.call.died = true;
  }

  #freeze(act: () => void): void {
    const { time, random } = this.#world;
    this.#wasFrozen = true;
    this.#frozenUntil = time.now + random.between(30_000, 400_000);
    this.#world.count("freezes");
    if (this.call) this.call.froze = true;
    time.at(this.#frozenUntil, () => this.#deliver(act));
  }

  /** Sends as often as the real clients do. Transactions carry a token, so that they take effect once. */
  async #send(command: object, most: number): Promise<object> {
    const { random, table, mutant } = this.#world;
    let isDone = false;
    const played = mutant.rewrite ? mutant.rewrite(command) : command;
    const execute = () => {
      if (isDone) return {};
      const answer = table.execute(played);
      isDone = command instanceof TransactWriteCommand;
      return answer;
    };
    for (let tried = 1; ; tried++) {
      try {
        return await this.#attempt(execute);
      } catch (error) {
        if (!isOfTheWay(error) || tried === most) throw error;
        await this.pause(random.between(0, 25 * 2 ** tried));
      }
    }
  }

  #attempt(execute: () => object): Promise<object> {
    const { time, random, faults, isDown } = this.#world;
    const latency = random.between(4, random.happens(0.1) ? 1_500 : 60);
    return new Promise((resolve, reject) => {
      const timeOut = () => {
        this.#world.count("timeouts");
        time.after(timeoutMs, () => this.#deliver(() => reject(unanswered())));
      };
      const inVain = () => {
        try {
          execute();
        } catch {}
      };
      if (isDown) return timeOut();
      let fate = random.between(0, 1);
      if (fate < faults.lost) return timeOut();
      fate -= faults.lost;
      if (fate < faults.unanswered) {
        time.after(latency / 2, inVain);
        return timeOut();
      }
      fate -= faults.unanswered;
      if (fate < faults.late) {
        this.#world.count("late writes");
        time.after(random.between(timeoutMs + 100, 40_000), inVain);
        return timeOut();
      }
      time.after(latency / 2, () => {
        const answer = answerOf(execute);
        time.after(latency / 2, () => this.#deliver(() => answer(resolve, reject)));
      });
    });
  }

  async #queue(unsettled: UnsettledUsage): Promise<void> {
    await this.pause(this.#world.random.between(5, 50));
    this.#world.count("queued");
    this.#world.queue.push(unsettled);
  }
}

type Answer = (resolve: (answer: object) => void, reject: (error: unknown) => void) => void;

function answerOf(execute: () => object): Answer {
  try {
    const answer = execute();
    return (resolve) => resolve(answer);
  } catch (error) {
    return (_resolve, reject) => reject(error);
  }
}

function unanswered(): DynamoDBServiceException {
  return new DynamoDBServiceException({ name: "TimeoutError", message: "no answer", $metadata: {}, $fault: "server" });
}

function isOfTheWay(error: unknown): boolean {
  return error instanceof DynamoDBServiceException && error.$fault === "server";
}
