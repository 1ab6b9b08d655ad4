// Mutants: each is the product without one of its protections (docs/decisions/0015), which the interleavings must notice.
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { type Guard, isThere } from "../../domain/budget/guard.ts";
import { creditTokensOf, type Reservation } from "../../domain/budget/reservation.ts";
import { type AdmissionWrite, reservationOf } from "../../domain/budget/spending.ts";
import type { Mutant } from "./product.ts";

const unchanged = "#r.n = :unchanged";

/** Mutants that some hundreds of schedules do not show, or show slowly: some thousands do. */
const rare = new Set([
  "who overdraws may while money is unspent",
  "there is more than one overdraft",
  "an admission is not asked whether it is there",
  "a reservation is settled if it merely exists",
  "a ticket is filled at any version",
  "a final row is corrected",
]);

export const isRare = ({ name }: Mutant) => rare.has(name);

export const mutants: Mutant[] = [
  unguarded("who overdraws may while money is unspent", "uncommitted"),
  unguarded("there is more than one overdraft", "overdraft"),
  unguarded("an admission needs no room", "room", { of: "reservations" }),
  unguarded("an admission is not asked whether it is there", "new"),
  unguarded("there is no most in flight", "inflight"),
  unguarded("a ticket is filled at any version", "unchanged", { by: isThere }),
  unguarded("a ticket is filled without room", "room", { of: "tickets" }),
  unguarded("the rate is not asked", "idle"),
  unguarded("a reservation needs no slice", "slices"),
  unguarded("a reservation needs no room in the slices", "within"),
  unguarded("the credit has no room to keep to", "room", { of: "credit" }),
  replaced("a reservation is settled if it merely exists", unchanged, "attribute_exists(#r)", { in: "REMOVE #r" }),
  replaced("a renewal takes any version", unchanged, "attribute_exists(#r)", { in: "SET #r.a = :a", isOnly: true }),
  without("an overdraft moves in without room", / AND [^:]*:room\)?/, { in: "REMOVE overdraft, #r.o" }),
  replaced("a final row is corrected", "provisional = :true AND cost = :cost", "attribute_exists(pk)"),
  without("a row is put over another", "attribute_not_exists(pk)", { kind: "Put" }),
  without("a draw needs no room in the allowance", "attribute_not_exists(drawn) OR drawn <= :c0", { in: "ADD drawn" }),
  without("slices come back from a caller who has called", " AND committed = :c1", { in: "ADD allowance" }),
  without("slices come back from a caller who has drawn", "allowance = :c0 AND ", { in: "ADD allowance" }),
  without("the waiting room has no end", " AND (attribute_not_exists(waiting) OR waiting < :places)"),
  {
    name: "a provisional row is put, then its reservation settled",
    stores: ({ ledger, spending, transactions }) => ({
      transactions: {
        ...transactions,
        async reclaim(key, reservation, provisional) {
          const { cost } = await ledger.putIfAbsent(provisional);
          const tokens = creditTokensOf(reservation);
          return (await spending.settle({ key, reservation, cost, tokens })).written;
        },
      },
    }),
  },
  {
    name: "attempts are not told apart",
    stores: ({ spending }) => ({
      spending: {
        ...spending,
        admit: (write) => spending.admit(write.ticket ? write : atFirstVersion(write)),
      },
    }),
  },
  {
    name: "there are no tombstones",
    stores: ({ spending }) => ({
      spending: {
        ...spending,
        async putTombstone(key, { requestId }) {
          const state = await spending.read(key, { onCredit: false });
          return { ...state, written: reservationOf(state.spending, requestId) === undefined };
        },
      },
    }),
  },
  {
    name: "a truth is not added to the budget",
    stores: ({ ledger, transactions }) => ({
      transactions: {
        ...transactions,
        correct: async (_key, { truth }) => !(await ledger.putIfAbsent(truth)).provisional,
      },
    }),
  },
  { name: "an admission is sent again", sendsAdmissions: 3 },
  { name: "a lease is never renewed", neverRenews: true },
];

function atFirstVersion(write: AdmissionWrite): AdmissionWrite {
  const { reservation } = write;
  return { ...write, reservation: reservation && { ...reservation, version: 0 } };
}

type Expressions = {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string | undefined;
  ExpressionAttributeNames?: object;
  ExpressionAttributeValues?: object;
};

type Of = "reservations" | "tickets" | "credit";

/** Takes a guard out of the writes of admissions, or puts another in its place. */
function unguarded(
  name: string,
  rule: string,
  { of, by }: { of?: Of; by?: (write: Reservation) => Guard } = {},
): Mutant {
  const changed = (guards: readonly Guard[], ticket: Reservation | undefined) =>
    guards.flatMap((guard) => (guard.rule !== rule ? [guard] : by && ticket ? [by(ticket)] : []));
  const rewritten = (write: AdmissionWrite): AdmissionWrite => {
    const { ticket, guards, creditGuards } = write;
    if (of === "credit") return { ...write, creditGuards: changed(creditGuards, ticket) };
    if (of !== undefined && of !== (ticket ? "tickets" : "reservations")) return write;
    return { ...write, guards: changed(guards, ticket) };
  };
  const stores: Mutant["stores"] = ({ spending }) => ({
    spending: { ...spending, admit: (write) => spending.admit(rewritten(write)) },
  });
  return { name, stores };
}

/** Selects writes whose update contains a text, or whose condition is the text and no more, or writes of a kind. */
type Where = { in?: string; isOnly?: true; kind?: "Put" };

function without(name: string, text: string | RegExp, where: Where = {}): Mutant {
  return replaced(name, text, "", where);
}

function replaced(name: string, text: string | RegExp, by: string, where: Where = {}): Mutant {
  const isMeant = ({ ConditionExpression = "", UpdateExpression = "" }: Expressions, kind: string) =>
    (typeof text === "string" ? ConditionExpression.includes(text) : text.test(ConditionExpression)) &&
    !(where.isOnly && ConditionExpression !== text) &&
    UpdateExpression.includes(where.in ?? "") &&
    (where.kind ?? kind) === kind;
  const change = (input: Expressions, kind: string): Expressions =>
    isMeant(input, kind)
      ? pruned({ ...input, ConditionExpression: input.ConditionExpression?.replace(text, by) })
      : input;
  const rewrite = (command: object): object => {
    if (command instanceof UpdateCommand)
      return new UpdateCommand(change(command.input as Expressions, "Update") as UpdateCommandInput);
    if (command instanceof PutCommand)
      return new PutCommand(change(command.input as Expressions, "Put") as PutCommandInput);
    if (!(command instanceof TransactWriteCommand)) return command;
    const TransactItems = command.input.TransactItems?.map((item) => {
      const [kind, input] = Object.entries(item)[0] as [string, Expressions];
      return { [kind]: change(input, kind) };
    });
    return new TransactWriteCommand({ TransactItems });
  };
  return { name, rewrite };
}

/** Removes names and values that no expression mentions any more, because the store would refuse them. */
function pruned(input: Expressions): Expressions {
  const text = `${input.ConditionExpression ?? ""} ${input.UpdateExpression ?? ""}`;
  const used = (all: object = {}) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(text)));
  return {
    ...input,
    ConditionExpression: input.ConditionExpression || undefined,
    ExpressionAttributeNames: used(input.ExpressionAttributeNames),
    ExpressionAttributeValues: used(input.ExpressionAttributeValues),
  };
}
