// The accounting over a table in memory: the real stores, whose calls a test can watch, disturb and replace.
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { creditOf } from "../../../adapters/dynamodb/budget/credit-expressions.ts";
import { crowds } from "../../../adapters/dynamodb/budget/crowds.ts";
import { idleSliceStore } from "../../../adapters/dynamodb/budget/idle-slices.ts";
import { ledgerTransactions } from "../../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingStore } from "../../../adapters/dynamodb/budget/spending.ts";
import { spendingOf } from "../../../adapters/dynamodb/budget/spending-expressions.ts";
import { waitingRoom } from "../../../adapters/dynamodb/budget/waiting-room.ts";
import { ledgerRecord } from "../../../adapters/dynamodb/ledger/ledger.record.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import type { Crowd } from "../../../domain/budget/crowd.ts";
import type { IdleSliceStore } from "../../../domain/budget/idle-slices.ts";
import type { LedgerTransactions } from "../../../domain/budget/ledger-row.ts";
import type { Credit, Spending, SpendingKey, SpendingStore } from "../../../domain/budget/spending.ts";
import type { WaitingRoom } from "../../../domain/budget/waiting.ts";
import type { LedgerRow, LedgerStore } from "../../../domain/ledger/ledger.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { documentClientOf } from "../memory-dynamodb/document-client.ts";
import { MemoryTable } from "../memory-dynamodb/memory-table.ts";

export type AccountingCall =
  | Exclude<keyof SpendingStore, "lastSeen">
  | Exclude<keyof LedgerStore, "hour">
  | keyof LedgerTransactions
  | keyof WaitingRoom;

const tableName = "main";
const places = 3;

export class MemoryAccounting {
  readonly table = new MemoryTable();
  readonly spending: SpendingStore;
  readonly idleSlices: IdleSliceStore;
  readonly ledger: LedgerStore;
  readonly transactions: LedgerTransactions;
  readonly waitingRoom: WaitingRoom;
  readonly crowd: Crowd;
  /** Called before and after the effect of each call, which throws whatever this throws. */
  disturb: (call: AccountingCall, when: "before" | "after") => void = () => {};
  readonly calls: AccountingCall[] = [];
  /** The class names of the commands that have reached the table. */
  readonly commands: string[] = [];
  /** Called before and after the effect of each command; the client throws whatever this throws. */
  onCommand: (command: string, when: "before" | "after") => Promise<void> | void = () => {};
  readonly #client = documentClientOf((command) => this.#execute(command));
  readonly #clock: () => number;

  constructor(clock: () => number) {
    const client = this.#client;
    this.#clock = clock;
    this.spending = this.newInstance();
    this.idleSlices = idleSliceStore(rowsOf(client, tableName));
    this.ledger = this.#watched(ledgerStore(rowsOf(client, tableName)), ["hour"]);
    this.transactions = this.#watched(ledgerTransactions(rowsOf(client, tableName)));
    this.waitingRoom = this.#watched(waitingRoom({ client, tableName, places, clock }));
    this.crowd = crowds(rowsOf(client, tableName));
  }

  /** The store of an instance that remembers nothing. */
  newInstance(clock = this.#clock): SpendingStore {
    return this.#watched(spendingStore({ client: this.#client, tableName, clock }), ["lastSeen"]);
  }

  of({ tenantId, callerId, month }: SpendingKey): Spending {
    return spendingOf(this.table.get(spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month })));
  }

  /** Sets attributes in their stored form. */
  set({ tenantId, callerId, month }: SpendingKey, attributes: object): void {
    const key = spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month });
    this.#put({ ...key, ...this.table.get(key), ...attributes });
  }

  grant(tenantId: string, attributes: object = {}): void {
    this.#put({
      ...creditRecord.key({ tenant_id: tenantId }),
      granted_tokens: freeCreditTokens,
      spent: 0,
      committed: 0,
      ...attributes,
    });
  }

  creditOf(tenantId: string): Credit {
    return creditOf(this.table.get(creditRecord.key({ tenant_id: tenantId })));
  }

  /** Ledger rows by request id. */
  get rows(): Map<string, LedgerRow> {
    const rows = [...this.table.items].filter(({ pk }) => String(pk).startsWith(ledgerRecord.prefix));
    return new Map(
      rows.map(({ pk: _pk, sk: _sk, expires_at: _end, ...row }) => [String(row.request_id), row as LedgerRow]),
    );
  }

  async #execute(command: object): Promise<object> {
    const { name } = command.constructor;
    this.commands.push(name);
    await this.onCommand(name, "before");
    try {
      return this.table.execute(command);
    } finally {
      await this.onCommand(name, "after");
    }
  }

  #put(Item: Record<string, unknown>): void {
    this.table.execute(new PutCommand({ TableName: tableName, Item }));
  }

  #watched<T extends object>(store: T, aside: (keyof T)[] = []): T {
    const watch = ([name, method]: [string, (...args: unknown[]) => unknown]) => {
      if (aside.includes(name as keyof T)) return [name, method];
      return [name, (...args: unknown[]) => this.#run(name as AccountingCall, () => method(...args))];
    };
    return Object.fromEntries(Object.entries(store).map((entry) => watch(entry as never))) as T;
  }

  async #run<R>(call: AccountingCall, act: () => R): Promise<Awaited<R>> {
    this.calls.push(call);
    this.disturb(call, "before");
    const result = await act();
    this.disturb(call, "after");
    return result;
  }
}

/** What must always hold of a caller's item. */
export function soundness({ spent, committed, inflight, overdraft, reservations }: Spending) {
  const within = reservations.filter((each) => !each.overdraft);
  const reserved = within.reduce((sum, { amount }) => sum + amount, 0);
  return {
    spentIsNotNegative: spent >= 0,
    committedIsSpentAndReserved: committed === spent + reserved,
    inflightIsReservations: inflight === reservations.length,
    overdraftIsOfOne:
      reservations
        .filter((each) => each.overdraft)
        .map(({ requestId }) => requestId)
        .join() === (overdraft ?? ""),
  };
}

export const sound = {
  spentIsNotNegative: true,
  committedIsSpentAndReserved: true,
  inflightIsReservations: true,
  overdraftIsOfOne: true,
};
