import { expect, test } from "@jest/globals";
import { incidentsOf, newIncidents } from "../../../domain/billing/incident.ts";
import { anInvoice } from "../../support/billing/invoices.ts";

const charge = { id: "ch_1", paidCents: 300, refundedCents: 0, dispute: undefined };

test("successful payments and open invoices are no incidents", () => {
  expect(incidentsOf({ invoices: [anInvoice()], charges: [charge] })).toEqual([]);
});

test("a dispute, a refund and a credit note are reported once in each state, and a dispute that takes money as harm", () => {
  const account = {
    invoices: [anInvoice({ creditedCents: 20 })],
    charges: [{ ...charge, refundedCents: 100, dispute: { id: "du_1", status: "needs_response" } }],
  };
  const all = incidentsOf(account);
  expect(all.map(({ id, action, state, isHarm }) => [id, action, state, isHarm])).toEqual([
    ["du_1", "payment.dispute", "needs_response", true],
    ["ch_1", "payment.refund", "100 cents", false],
    ["in_1", "invoice.credit", "20 cents", false],
  ]);
  const seen = { du_1: "needs_response", ch_1: "50 cents", in_1: "20 cents" };
  expect(newIncidents(all, seen).map(({ id }) => id)).toEqual(["ch_1"]);
  expect(newIncidents(all)).toHaveLength(3);
});

test("workspaces that do not fit into one transaction are left to the next run", () => {
  const charges = Array.from({ length: 9 }, (_, n) => ({ ...charge, id: `ch_${n}`, refundedCents: 1 }));
  const all = incidentsOf({ invoices: [], charges });
  const first = newIncidents(all);
  expect(first).toHaveLength(5);
  expect(newIncidents(all, Object.fromEntries(first.map(({ id, state }) => [id, state])))).toHaveLength(4);
});
