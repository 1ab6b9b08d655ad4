// Mutants: each is the product without one of its protections (docs/decisions/0015), which the interleavings must notice.
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { creditTokensOf } from "../../domain/budget/reservation.ts";
import { type Decision, reservationOf } from "../../domain/budget/spending.ts";
import type { Mutant } from "./product.ts";

const admits = "ADD committed :a, spent :zero";
const settles = "REMOVE #r";
const fills = "ADD committed :a";
const inFlight = "(attribute_not_exists(inflight) OR inflight < :max) AND ";
const room = " AND (attribute_not_exists(committed) OR committed <= :room)";
const belowCap = " AND (attribute_not_exists(committed) OR committed < :cap)";

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
  without("who overdraws may while money is unspent", belowCap),
  without("there is more than one overdraft", " AND attribute_not_exists(overdraft)"),
  without("an admission needs no room", room),
  without("an admission is not asked whether it is there", "attribute_not_exists(#r) AND ", { in: admits }),
  without("there is no most in flight", inFlight),
  replaced("a reservation is settled if it merely exists", "#r.n = :n", "attribute_exists(#r)", { in: settles }),
  replaced("a renewal takes any version", "#r.n = :n", "attribute_exists(#r)", { in: "SET #r.a = :a", not: fills }),
  replaced("a ticket is filled at any version", "#r.n = :n", "attribute_exists(#r)", { in: fills, not: "REMOVE" }),
  without("a ticket is filled without room", " AND committed <= :room", { in: fills, not: "REMOVE" }),
  without("an overdraft moves in without room", " AND committed <= :room", { in: "REMOVE overdraft, #r.o" }),
  replaced("a final row is corrected", "provisional = :true AND cost = :cost", "attribute_exists(pk)"),
  without("a row is put over another", "attribute_not_exists(pk)", { kind: "Put" }),
  without("the credit has no room to keep to", " AND committed <= :room", { in: "ADD committed :k" }),
  without("the rate is not asked", "(attribute_not_exists(tat) OR tat <= :now) AND "),
  without("a reservation needs no slice", "allowance >= :slices AND "),
  without(
    "a reservation needs no room in the slices",
    " AND (attribute_not_exists(committed) OR committed <= :within)",
  ),
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
        admit: (write) =>
          spending.admit(write.ticket ? write : { ...write, decide: (state) => atFirstVersion(write.decide(state)) }),
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

function atFirstVersion(decision: Decision): Decision {
  if (decision.kind !== "admit" || !decision.reservation) return decision;
  return { ...decision, reservation: { ...decision.reservation, version: 0 } };
}

type Expressions = {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string | undefined;
  ExpressionAttributeNames?: object;
  ExpressionAttributeValues?: object;
};
/** Selects writes whose update contains a text and lacks another, or writes of a kind. */
type Where = { in?: string; not?: string; kind?: "Put" };

function without(name: string, text: string, where: Where = {}): Mutant {
  return replaced(name, text, "", where);
}

function replaced(name: string, text: string, by: string, where: Where = {}): Mutant {
  const isMeant = ({ ConditionExpression = "", UpdateExpression = "" }: Expressions, kind: string) =>
    ConditionExpression.includes(text) &&
    UpdateExpression.includes(where.in ?? "") &&
    !(where.not && UpdateExpression.includes(where.not)) &&
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
