// One account's store in virtual time, and the functions over it: the product's stores and rules as the proxy joins them, each
// call to the store counted by what it was for.
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { idleSliceStore } from "../../adapters/dynamodb/budget/idle-slices.ts";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { waitingRoom } from "../../adapters/dynamodb/budget/waiting-room.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import type { BudgetDependencies } from "../../domain/budget/admit.ts";
import { IdleSlices } from "../../domain/budget/idle-slices.ts";
import { Reclaim } from "../../domain/budget/reclaim.ts";
import { isTicket } from "../../domain/budget/reservation.ts";
import { Settlements } from "../../domain/budget/settlement.ts";
import type { SpendingStore } from "../../domain/budget/spending.ts";
import { documentClientOf } from "../../test/support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../test/support/memory-dynamodb/memory-table.ts";
import { Chance } from "./chance.ts";
import { VirtualTime } from "./virtual-time.ts";

/** The purposes of calls to the store. `guess` is a further round of an admission whose guess of the state was wrong. */
export const purposes = [
  ...(["admission", "guess", "ledger", "settlement", "read", "true-up", "renewal", "move-in"] as const),
  ...(["ticket", "fill", "waiting room", "limits", "transaction", "draw", "take-back"] as const),
];
export type Purpose = (typeof purposes)[number];

export const tableName = "main";
export const storeMs = 5;
/** The share of a workspace (components/config.ts). */
const waitingPlaces = 64;
const start = Date.UTC(2026, 10, 10);

export class Account {
  readonly time = new VirtualTime(start);
  readonly table = new MemoryTable();
  readonly chance: Chance;
  readonly storeCalls = Object.fromEntries(purposes.map((purpose) => [purpose, 0])) as Record<Purpose, number>;
  readonly #free: Instance[] = [];
  #requests = 0;

  constructor(seed: number) {
    this.chance = new Chance(seed);
  }

  /** Works in an instance that nobody else works in, as on Lambda: the one that was free last, or a new one. */
  async inInstance<T>(work: (instance: Instance) => Promise<T>): Promise<T> {
    const instance = this.#free.pop() ?? new Instance(this);
    try {
      return await work(instance);
    } finally {
      this.#free.push(instance);
    }
  }

  newRequestId(): string {
    this.#requests += 1;
    return `00000000-0000-4000-8000-${String(this.#requests).padStart(12, "0")}`;
  }

  /** One call to the store: it takes effect halfway. */
  async send(purpose: Purpose, command: object): Promise<object> {
    this.storeCalls[purpose] += 1;
    await this.time.pause(storeMs / 2);
    try {
      return this.table.execute(command);
    } finally {
      await this.time.pause(storeMs / 2);
    }
  }
}

export class Instance {
  readonly spending: SpendingStore;
  /** The dependencies of an admission. */
  readonly budget: BudgetDependencies;
  readonly settlements: Settlements;
  /** An instance has one call, which makes one write at a time. */
  #purpose: Purpose = "admission";

  constructor(account: Account) {
    const { time, chance } = account;
    const { clock, pause } = time;
    const client = documentClientOf((command) => {
      const isRead = command instanceof GetCommand && this.#purpose !== "take-back";
      const sent = account.send(isRead ? "read" : this.#purpose, command);
      if (!isRead && this.#purpose === "admission") this.#purpose = "guess";
      return sent;
    });
    const note = (purpose: Purpose) => () => {
      this.#purpose = purpose;
    };
    const store = spendingStore({ client, tableName, clock });
    let isFirst = true;
    this.spending = this.#noted(store, {
      lastSeen: () => {
        isFirst = true;
      },
      admit: ({ reservation, ticket }) => {
        if (reservation && isFirst) note(ticket ? "fill" : isTicket(reservation) ? "ticket" : "admission")();
        isFirst = false;
      },
      change: ({ from, to }) => note(to.amount < from.amount ? "true-up" : "renewal")(),
      moveIn: note("move-in"),
      settle: note("settlement"),
      draw: note("draw"),
    });
    const idleSlices = new IdleSlices({ store: idleSliceStore(rowsOf(client, tableName)), clock });
    const room = waitingRoom({ client, tableName, places: waitingPlaces, clock });
    const facts = { clock, modelOf: (profile: string) => profile };
    const ledger = this.#noted(ledgerStore(rowsOf(client, tableName)), { putIfAbsent: note("ledger") });
    const transactions = this.#noted(ledgerTransactions(rowsOf(client, tableName)), { reclaim: note("transaction") });
    const deps = { ...facts, ledger, transactions, spending: this.spending };
    this.settlements = new Settlements(deps);
    this.budget = {
      ...deps,
      reclaim: new Reclaim(deps),
      idleSlices: {
        takeBack: async (ownerSub) => {
          note("take-back")();
          return idleSlices.takeBack(ownerSub).finally(note("guess"));
        },
      },
      waitingRoom: this.#noted(room, { enter: note("waiting room"), leave: note("waiting room") }),
      release: (settled) => this.settlements.release(settled),
      giveUp: ({ key, reservation }) => this.settlements.giveUp(key, reservation),
      pause,
      jitter: () => chance.between(0.5, 1.5),
    };
  }

  /** The same store, which notes the purpose of each call first. */
  #noted<T extends object>(store: T, notes: { [Name in keyof T]?: (...args: ArgumentsOf<T[Name]>) => void }): T {
    const noted = { ...store };
    for (const name of Object.keys(notes) as (keyof T)[]) {
      const method = store[name] as (...args: unknown[]) => unknown;
      const note = notes[name] as (...args: unknown[]) => void;
      noted[name] = ((...args: unknown[]) => {
        note(...args);
        return method(...args);
      }) as T[keyof T];
    }
    return noted;
  }
}

type ArgumentsOf<T> = T extends (...args: infer A) => unknown ? A : never;
