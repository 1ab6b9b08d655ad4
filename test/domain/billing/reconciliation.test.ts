import { describe, expect, test } from "@jest/globals";
import type { Customer } from "../../../domain/billing/customer.ts";
import { disputedReason, unpaidReason } from "../../../domain/billing/debt.ts";
import type { PaymentEvent } from "../../../domain/billing/payment-event.ts";
import type { PaymentObject } from "../../../domain/billing/payment-object.ts";
import { PaymentError, type PaymentInvoice, type PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import {
  type Reconciled,
  type ReconciliationDependencies,
  reconcileOwner,
  reconcilePayments,
} from "../../../domain/billing/reconciliation.ts";
import type { Recognition } from "../../../domain/trust/recognition.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { suspended } from "../../../domain/workspace/tenant-change.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { nobodyKnown, terms } from "../../support/billing/trust.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const customer: Customer = { owner_sub: "ada", customer_id: "cus_1", has_payment_method: false, version: 1 };
const about = { customerId: "cus_1", ownerSub: "ada", tenantId: undefined };
const event = { id: "evt_1", kind: "changed", type: "of the provider", objectId: "cus_1" } as const;

const open = anInvoice({ nextAttemptAt: 5 });

/** A provider with one method, whose calls are noted, and a store that answers in turn. */
function world(outcomes: ("written" | "stale" | "done")[] = ["written"], kept = customer) {
  const calls: string[] = [];
  const writes: Reconciled[] = [];
  let reads = 0;
  let collect: () => Promise<PaymentInvoice> = async () => ({ ...open, status: "paid", dueCents: 0 });
  const deps: ReconciliationDependencies = {
    payments: {
      customerById: async (id) => ({ id, email: undefined, defaultPaymentMethod: undefined, balanceCents: 0 }),
      paymentMethods: async () => ["pm_2", "pm_1"].map((id) => ({ id, fingerprint: undefined })),
      makeDefault: async (_, method) => void calls.push(`default ${method}`),
      invoices: async () => [open],
      charges: async () => [],
      applyTax: async () => true,
      collect: (id) => {
        calls.push(`collect ${id}`);
        return collect();
      },
    },
    customers: {
      get: async () => {
        reads += 1;
        return kept;
      },
      tenantsOf: async () => [],
    },
    tenants: { get: async () => undefined, many: async () => [] },
    reconciliations: {
      isDone: async () => false,
      write: async (reconciled) => {
        writes.push(reconciled);
        return outcomes.shift() ?? "stale";
      },
    },
    automaticTax: false,
    markup: 1,
    terms,
    recognition: nobodyKnown,
    telemetry: { unbilled: () => {} },
    log: { info: () => {}, problem: () => {} },
    clock: () => 0,
    newId: () => "id",
  };
  return {
    ...{ deps, calls, writes },
    reads: () => reads,
    declining: (error: Error) => {
      collect = () => Promise.reject(error);
    },
  };
}

test("a new default payment method is tried once on open invoices", async () => {
  const first = world();
  expect(await reconcilePayments(first.deps, event, about)).toBe("done");
  expect(first.calls).toEqual(["default pm_2", "collect in_1"]);
  expect(first.writes[0]).toMatchObject({ hasPaymentMethod: true, triedPaymentMethod: "pm_2" });
  const second = world(["written"], { ...customer, tried_payment_method: "pm_2" });
  await reconcilePayments(second.deps, event, about);
  expect(second.calls).toEqual(["default pm_2"]);
});

test("an invoice that the provider refuses to collect delays nothing; an outage does", async () => {
  const refused = world();
  refused.declining(new PaymentError("invoices.pay", { code: "invoice_not_payable" }));
  expect(await reconcilePayments(refused.deps, event, about)).toBe("done");
  const down = world();
  down.declining(new Error("no answer"));
  await expect(reconcilePayments(down.deps, event, about)).rejects.toThrow("no answer");
  expect(down.writes).toEqual([]);
});

test("a reconciliation that conflicts with another reads everything again, and gives up after some attempts", async () => {
  const met = world(["stale", "stale", "written"]);
  expect(await reconcilePayments(met.deps, event, about)).toBe("done");
  expect([met.reads(), met.writes.length]).toEqual([3, 3]);
  await expect(reconcilePayments(world([]).deps, event, about)).rejects.toThrow("being changed by others");
  expect(await reconcilePayments(world(["done"]).deps, event, about)).toBe("done");
});

test("an event of a customer that is not the owner's is ignored, without a call to the provider", async () => {
  for (const stranger of [
    { ...about, customerId: "cus_2" },
    { ...about, ownerSub: undefined },
    { ...about, ownerSub: undefined, tenantId: "t1" },
  ]) {
    const { deps, calls, writes } = world();
    expect(await reconcilePayments(deps, event, stranger)).toBe("ignored");
    expect([calls, writes]).toEqual([[], []]);
  }
});

describe("one reading of an owner's state", () => {
  const paying = { ...customer, tried_payment_method: "pm_1", has_payment_method: true };
  const workspace = aTenantOf("ada", "t1", { stripe_subscription_id: "sub_1", has_payment_method: true });
  const dispute = { id: "du_1", status: "lost" };
  const lost = { id: "ch_1", paidCents: 300, refundedCents: 0, dispute };

  type At = {
    customer?: Customer;
    /** Undefined for a customer that was deleted at the provider. */
    there?: { email?: string; defaultPaymentMethod?: string; balanceCents?: number } | undefined;
    methods?: string[];
    invoices?: PaymentInvoice[];
    charges?: Awaited<ReturnType<PaymentProvider["charges"]>>;
    tenants?: Tenant[];
    about?: Partial<PaymentObject>;
    event?: PaymentEvent | undefined;
    isTaxed?: boolean;
    outcome?: "written" | "done";
    recognition?: Pick<Recognition, "of">;
    announce?: () => Promise<void>;
  };

  /** Reads the state once. By default an owner has one workspace and one payment method, and owes nothing. */
  async function reading(at: At) {
    const { tenants = [workspace], methods = ["pm_1"], there = { defaultPaymentMethod: "pm_1" } } = at;
    const known = "there" in at ? at.there : there;
    const { deps, calls, writes } = world([at.outcome ?? "written"], at.customer ?? paying);
    const told: string[] = [];
    Object.assign(deps.payments, {
      customerById: async (id: string) =>
        known && { id, email: undefined, defaultPaymentMethod: undefined, balanceCents: 0, ...known },
      paymentMethods: async () => methods.map((id) => ({ id, fingerprint: id === "pm_2" ? undefined : `print ${id}` })),
      invoices: async () => at.invoices ?? [],
      charges: async () => at.charges ?? [],
      applyTax: async () => at.isTaxed !== false,
    } satisfies Partial<PaymentProvider>);
    await reconcilePayments(
      {
        ...deps,
        automaticTax: at.isTaxed !== undefined,
        customers: { ...deps.customers, tenantsOf: async () => tenants.map(({ tenant_id }) => tenant_id) },
        tenants: { get: async (id) => tenants.find(({ tenant_id }) => tenant_id === id), many: async () => tenants },
        recognition: at.recognition ?? deps.recognition,
        telemetry: { unbilled: (reason) => void told.push(`alarm ${reason}`) },
        log: { info: (message) => void told.push(message), problem: (message) => void told.push(message) },
        notices: {
          announce: async (notices) => {
            told.push(...notices.map(({ what, about }) => `notice ${what} ${about}, ${writes.length} writes`));
            await at.announce?.();
          },
        },
      },
      "event" in at ? at.event : event,
      { ...about, ...at.about },
    );
    const [write] = writes;
    const changes = write?.changes.map(({ after, entry }) => [after.tenant_id, after.status, entry.action]);
    return { write, changes, calls, told };
  }

  test("a state that is as it was changes no workspace", async () => {
    const announce = () => Promise.reject(new Error("There is nothing to announce"));
    const { write, changes, calls, told } = await reading({ announce });
    expect(write).toMatchObject({ eventId: "evt_1", owes: [], seen: {}, problems: [], notices: [] });
    expect([changes, calls, told]).toEqual([[], [], []]);
  });

  test("a customer that was deleted at the provider has no payment method and no trust, and operators are told", async () => {
    const { write, changes, told } = await reading({ there: undefined });
    expect(write).toMatchObject({ hasPaymentMethod: false, triedPaymentMethod: undefined, trust: undefined });
    expect(changes).toEqual([["t1", "active", "tenant.payment_method"]]);
    expect(told).toEqual([expect.stringContaining("customer was deleted"), "alarm customer_deleted"]);
    const leaving = await reading({ there: undefined, customer: { ...paying, is_leaving: true } });
    expect(leaving.told).toEqual([]);
  });

  test("operators are told of a problem by the delivery that is written, and not by another one of the same event", async () => {
    expect((await reading({ there: undefined, outcome: "done" })).told).toEqual([]);
  });

  test.each([
    ["stays, if nothing was set up", "pm_1", undefined, undefined],
    ["becomes the one that was set up", "pm_1", "pm_2", "pm_2"],
    ["stays, if an older one was set up before", "pm_2", "pm_1", undefined],
    ["becomes the newest, if there is none", undefined, undefined, "pm_2"],
    ["becomes the newest, if it is gone", "pm_9", undefined, "pm_2"],
    ["becomes the newest, if it is gone, and so is the one that was set up", "pm_9", "pm_8", "pm_2"],
  ])("the default payment method %s", async (_, defaultPaymentMethod, paymentMethodId, becomes) => {
    const { calls, write } = await reading({
      ...{ methods: ["pm_2", "pm_1"], about: { paymentMethodId } },
      there: defaultPaymentMethod === undefined ? {} : { defaultPaymentMethod },
    });
    expect(calls).toEqual(becomes === undefined ? [] : [`default ${becomes}`]);
    expect(write?.hasPaymentMethod).toBe(true);
  });

  test("an owner who removes the last payment method may try the same one again later", async () => {
    const { write } = await reading({ methods: [], there: {} });
    expect(write).toMatchObject({ hasPaymentMethod: false, triedPaymentMethod: undefined });
  });

  test("a new payment method pays open invoices of which something is due, and no others", async () => {
    const invoices = [
      anInvoice({ id: "in_1", nextAttemptAt: 5 }),
      anInvoice({ id: "in_2", dueCents: 0 }),
      anInvoice({ id: "in_3", status: "draft" }),
    ];
    const { calls, told } = await reading({ invoices, customer: { ...paying, tried_payment_method: "pm_0" } });
    expect([calls, told]).toEqual([["collect in_1"], []]);
  });

  test("an unpaid invoice suspends the owner's workspaces with a mail to each, before the change is written", async () => {
    const tenants = [workspace, aTenantOf("ada", "t2", { has_payment_method: true })];
    const { write, changes, told } = await reading({ invoices: [anInvoice()], tenants });
    expect(write?.owes).toEqual(["in_1"]);
    expect(changes).toEqual([
      ["t1", "suspended", "tenant.suspend"],
      ["t2", "suspended", "tenant.suspend"],
    ]);
    expect(write?.changes[0]?.after.suspended_reason).toBe(unpaidReason);
    expect(write?.changes[0]?.entry).toMatchObject({ actor: "stripe", tenant_id: "t1", target: "t1" });
    expect(told).toEqual(Array(2).fill("notice suspended in_1, 0 writes"));
  });

  test("a debt that is known suspends no workspace that an administrator has resumed", async () => {
    const { write, changes, told } = await reading({
      invoices: [anInvoice()],
      customer: { ...paying, owes: ["in_1"] },
    });
    expect([write?.owes, changes, told]).toEqual([["in_1"], [], []]);
  });

  test("a mail about a suspension names the debt that is new", async () => {
    const invoices = ["in_1", "in_2"].map((id) => anInvoice({ id }));
    const { told } = await reading({ invoices, customer: { ...paying, owes: ["in_1"] } });
    expect(told).toEqual(["notice suspended in_2, 0 writes"]);
  });

  test("a workspace stays suspended as long as any debt is left", async () => {
    const tenants = [suspended(workspace, unpaidReason, 0)];
    const { changes } = await reading({
      tenants,
      invoices: [anInvoice()],
      customer: { ...paying, owes: ["in_1", "in_2"] },
    });
    expect(changes).toEqual([]);
  });

  test("a debt that ends resumes the owner's workspaces", async () => {
    const tenants = [suspended(workspace, disputedReason, 0)];
    const { write, changes } = await reading({ tenants, customer: { ...paying, owes: ["du_1"] } });
    expect([write?.owes, changes]).toEqual([[], [["t1", "active", "tenant.resume"]]]);
  });

  test("a payment method counts for the owner's workspaces, and not for deleted ones or those that another owner has by now", async () => {
    const tenants = [
      aTenantOf("ada", "t1", { has_payment_method: false }),
      aTenantOf("ada", "t2", { has_payment_method: false, status: "deleted" }),
      aTenantOf("bob", "t3", { has_payment_method: false }),
    ];
    const { changes, write } = await reading({ tenants });
    expect(changes).toEqual([["t1", "active", "tenant.payment_method"]]);
    expect(write?.changes[0]?.after.has_payment_method).toBe(true);
  });

  test("a workspace moves to the next tier once its owner has paid enough", async () => {
    const usage = { status: "paid" as const, dueCents: 0, totalCents: 60_000, quantity: 600_000_000 };
    const charges = [{ id: "ch_1", paidCents: 60_000, refundedCents: 0, dispute: undefined }];
    const old = { ...paying, method_since: -400 * 86_400_000 };
    const { write, changes } = await reading({ invoices: [anInvoice(usage)], charges, customer: old });
    expect(changes).toEqual([["t1", "active", "tenant.tier"]]);
    expect(write?.trust).toMatchObject({ promoted: ["t1"], paid: 600 * 1e9 });
  });

  test("an amount that was too small to be charged counts as open, and money on the balance as nothing", async () => {
    const small = anInvoice({ status: "paid", dueCents: 0, quantity: 300_000, totalCents: 30 });
    const settledWith = async (balanceCents: number) =>
      (await reading({ invoices: [small], there: { defaultPaymentMethod: "pm_1", balanceCents } })).write?.trust
        ?.settled;
    expect([await settledWith(30), await settledWith(-30)]).toEqual([0, 0.3 * 1e9]);
  });

  test("a payment that a bank takes back is told once in each state", async () => {
    const charges = [lost];
    const first = await reading({ charges });
    expect(first.write).toMatchObject({ seen: { du_1: "lost" }, owes: ["du_1"] });
    expect(first.write?.problems[0]?.facts).toEqual({ customer_id: "cus_1", state: "lost" });
    expect(first.told).toContain("alarm disputed");
    const again = await reading({
      charges,
      customer: { ...paying, owes: ["du_1"], seen: { du_1: "lost", ch_0: "1 cents" } },
    });
    expect([again.told, again.write?.seen]).toEqual([[], { du_1: "lost", ch_0: "1 cents" }]);
  });

  test("a refund is no alarm, and is told in the log", async () => {
    const { told } = await reading({ charges: [{ ...lost, dispute: undefined, refundedCents: 100 }] });
    expect(told).toEqual(["A payment was refunded at the payment provider"]);
  });

  test.each([
    ["no tax is computed", undefined, ["pm_1"], []],
    ["the address is known", true, ["pm_1"], []],
    ["the address is not known", false, ["pm_1"], ["alarm untaxed"]],
    ["the owner has no payment method yet", false, [], []],
  ])("an invoice without tax is told if %s: alarms", async (_, isTaxed, methods, alarms) => {
    const created = { ...event, kind: "invoice_created" } as const;
    const invoice = anInvoice({ status: "draft" });
    const { told } = await reading({
      methods,
      event: created,
      about: { invoice },
      ...(isTaxed !== undefined && { isTaxed }),
    });
    expect(told.filter((one) => one.startsWith("alarm"))).toEqual(alarms);
  });

  test("mails that cannot be queued are logged and stop no payment", async () => {
    const { write, told } = await reading({
      invoices: [anInvoice()],
      announce: () => Promise.reject(new Error("the queue is down")),
    });
    expect(write?.owes).toEqual(["in_1"]);
    expect(told).toContain("Nobody is told of a payment");
  });

  test("an owner is recognized by address and cards, and what a debt of before comes to is asked of the provider again", async () => {
    const asked: object[] = [];
    const owed: unknown[] = [];
    const recognition: Pick<Recognition, "of"> = {
      of: async (known, owedBy) => {
        asked.push(known);
        owed.push(await owedBy("cus_0"));
        return { owedCents: 100, cards: ["mark"] };
      },
    };
    const charges = [{ ...lost, dispute: undefined }];
    const { write } = await reading({
      ...{ recognition, charges, invoices: [anInvoice({ nextAttemptAt: 5 })], methods: ["pm_1", "pm_2"] },
      there: { defaultPaymentMethod: "pm_1", email: "ada@acme.test" },
      customer: { ...paying, cards: ["old"] },
    });
    const known = { email: "ada@acme.test", fingerprints: ["print pm_1"], cards: ["old"] };
    expect(asked).toEqual([{ ownerSub: "ada", customerId: "cus_1", ...known }]);
    expect(owed).toEqual([300]);
    expect(write?.trust).toMatchObject({ owed: 1e9, cards: ["mark"] });
  });

  test("a workspace's event is that of its owner, by the workspace's id", async () => {
    const { write } = await reading({ about: { ownerSub: undefined, tenantId: "t1" } });
    expect(write?.customer.customer_id).toBe("cus_1");
  });
});

test("what a customer of before owes is unknown if the provider refuses to say, and an outage repeats the event", async () => {
  const answers: unknown[] = [];
  const recognition: Pick<Recognition, "of"> = {
    of: async (_, owedBy) => {
      answers.push(await owedBy("cus_0"));
      return { owedCents: 0, cards: [] };
    },
  };
  const failing = (error: Error) => {
    const { deps } = world();
    const invoices = async (id: string) => (id === "cus_0" ? Promise.reject(error) : []);
    return reconcilePayments({ ...deps, recognition, payments: { ...deps.payments, invoices } }, event, about);
  };
  expect(await failing(new PaymentError("invoices.list", { code: "resource_missing" }))).toBe("done");
  expect(answers).toEqual([undefined]);
  await expect(failing(new Error("no answer"))).rejects.toThrow("no answer");
});

test("an owner's state is read without an event, unless there is no customer or it is being removed", async () => {
  const { deps, writes } = world();
  await reconcileOwner(deps, "ada");
  expect(writes.map(({ eventId }) => eventId)).toEqual([undefined]);
  for (const kept of [undefined, { ...customer, is_leaving: true }]) {
    await reconcileOwner({ ...deps, customers: { ...deps.customers, get: async () => kept } }, "ada");
  }
  expect(writes).toHaveLength(1);
});
