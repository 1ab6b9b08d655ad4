import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { allowanceRecord } from "../../../../adapters/dynamodb/budget/allowance.record.ts";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { activeCallerIndex, spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { totalRecord } from "../../../../adapters/dynamodb/reporting/total.record.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import type { OwnerInvoice } from "../../../../domain/billing/owner-invoices.ts";
import type { OwnerPayments, PaymentState } from "../../../../domain/billing/owner-payments.ts";
import type { SpendingKey } from "../../../../domain/budget/spending.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import { nothingUsed, type Rollup } from "../../../../domain/ledger/rollup.ts";
import { aRow } from "../../../support/accounting/memory-metering.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

const now = Date.parse("2026-11-21T05:30:00Z");
const ready: PaymentState = {
  balance: 0.31,
  subscription: {
    subscription_id: "sub_1",
    status: "active",
    started_at: "2026-11-20T00:00:00.000Z",
    period_ends_at: "2026-12-01T00:00:00.000Z",
  },
  disputes: [{ dispute_id: "du_1", status: "needs_response", amount: 3 }],
  invoices: [
    {
      invoice_id: "in_1",
      status: "open",
      currency: "usd",
      total: 3,
      due: 3,
      created_at: "2026-11-01T00:00:00.000Z",
      url: "https://invoice.example.com/1",
    },
  ],
};

const invoice: OwnerInvoice = {
  ...{ invoice_id: "in_1", status: "paid", workspace: "=Acme (acme)", month: "2026-10", usage_usd: 3.004999 },
  ...{ currency: "usd", subtotal: 3, tax: 0.57, total: 3.57, paid: 3.57, due: 0 },
  created_at: "2026-11-01T00:00:00.000Z",
};

/** The calls that the provider received, and its answers. */
const asked: unknown[] = [];
let state: OwnerPayments["state"];
let labelling: () => Promise<void>;
const payments: OwnerPayments = {
  state: (tenantId) => state(tenantId),
  async invoices(tenantId, page) {
    asked.push([tenantId, page]);
    return { items: [invoice], next: "in_1" };
  },
  async label(tenantId) {
    asked.push([tenantId]);
    await labelling();
  },
  async setupPage(tenantId, back) {
    asked.push([tenantId, back]);
    return "https://checkout.example.com/c/pay?a=1&b=2";
  },
  async portalPage(tenantId, back) {
    asked.push([tenantId, back]);
    return "https://portal.example.com/p";
  },
};

let plane: ControlPlane;
let free: ControlPlane;
let owner: Awaited<ReturnType<ControlPlane["workspace"]>>;
let workspaces = 0;
beforeAll(async () => {
  plane = await openControlPlane(({ settings }) => ({
    payments,
    clock: () => now,
    settings: { ...settings, markup: 1.5 },
  }));
  free = await openControlPlane(({ settings }) => ({
    payments: undefined,
    settings: { ...settings, markup: undefined },
  }));
});
afterAll(() => Promise.all([plane.close(), free.close()]));
beforeEach(async () => {
  asked.length = 0;
  state = async () => ready;
  labelling = async () => {};
  owner = await plane.workspace(`Workspace ${workspaces++}`);
});

/** Of 4 USD, of which free credit has paid 1. */
const aRollup = (of: Pick<Rollup, "tenant_id" | "hour">): Rollup => ({
  ...nothingUsed,
  ...{ caller_id: "dev", model: "claude-sonnet-5", requests: 1 },
  ...{ cost: 4_000_000_000, billable_cost: 4_000_000_000, credit: 1_000_000_000 },
  ...of,
});
const spendingKeysOf = (of: SpendingKey) => ({
  ...spendingRecord.key({ tenant_id: of.tenantId, caller_id: of.callerId, month: of.month }),
  ...activeCallerIndex(of),
});
const put = (item: object) => plane.document.send(new PutCommand({ TableName: tableName, Item: item }));

describe("GET /v1/billing", () => {
  test("GET /v1/billing shows the platform's figures and those of the payment provider", async () => {
    const { tenant_id } = owner;
    const admitted_at = "2026-11-21T05:10:00.000Z";
    await plane.stores.ledger.putIfAbsent(aRow("one", { tenant_id, admitted_at, cost: 2_000_000_000 }));
    await put({ ...totalRecord.key({ tenant_id }), "m#2026-11": 666_666_668, "x#2026-11": 1.5, "s#2026-11": 700_000 });
    const { status, body } = await plane.call("GET", "/v1/billing", { as: owner });
    expect(status).toBe(200);
    expect(body).toEqual({
      as_of: "2026-11-21T05:30:00.000Z",
      free_credit: { granted_tokens: 10_000, spent_tokens: 0, left_tokens: 10_000 },
      month: {
        month: "2026-11",
        list_price_usd: 2,
        settled_usd: 2,
        estimated_usd: 0,
        unbilled_usd: 0,
        // All of the call's 30 tokens.
        credit_usd: 2,
        billed_usd: 0,
        price_usd: 3,
        markup: 1.5,
        complete: true,
      },
      // The meter was told 0.7 of 1 USD.
      reported_usd: 0.7,
      unreported_usd: 0.3,
      has_payment_method: false,
      unpaid: { limit_usd: 75, billed_from_usd: 37.5, used_usd: 0, reserved_usd: 0 },
      contact: { billing_emails: [] },
      payments: {
        ...{ state: "ready", subscription: ready.subscription, balance_usd: 0.31 },
        ...{ invoices: ready.invoices, disputes: ready.disputes },
      },
    });
  });

  test("GET /v1/billing shows used amounts separately from amounts held by calls in flight and unused slices", async () => {
    const { tenant_id } = owner;
    const kept = { expires_at: Date.parse("2027-12-01T00:00:00Z") / 1_000 };
    const slices = (callerId: string, item: object) =>
      put({
        ...spendingKeysOf({ tenantId: tenant_id, callerId, month: "2026-11" }),
        allowance_of: owner.sub,
        ...kept,
        ...item,
      });
    await put({
      ...ownedTenantsRecord.key({ owner_sub: owner.sub }),
      [`t#${tenant_id}`]: "2026-11-01T00:00:00.000Z",
      owned: 1,
    });
    await put({ ...allowanceRecord.key({ owner_sub: owner.sub }), drawn: 20_000_000_000, paid: 4_000_000_000 });
    await slices("idle", { allowance: 5_000_000_000, spent: 1_000_000_000, committed: 1_000_000_000 });
    // Three USD were spent before its first slice, which nobody owes.
    await slices("busy", { allowance: 7_000_000_000, spent: 5_000_000_000, committed: 6_500_000_000 });
    const { body } = await plane.call("GET", "/v1/billing", { as: owner });
    expect(body.unpaid).toMatchObject({ used_usd: 15, reserved_usd: 9 });
  });

  test("GET /v1/billing counts usage that is on no invoice as not reported, except usage that free credit paid", async () => {
    const { tenant_id } = owner;
    const row = (request_id: string, more: object) => aRow(request_id, { tenant_id, cost: 4_000_000_000, ...more });
    const at = (hour: string) => ({ admitted_at: `2026-11-21T${hour}:10:00.000Z` });
    await plane.stores.ledger.putIfAbsent(row("free", { ...at("04"), on_credit: true }));
    await plane.stores.ledger.putIfAbsent(row("paid", at("05")));
    await put({ ...creditRecord.key({ tenant_id }), granted_tokens: 10, spent: 10, committed: 10 });
    await put({ ...totalRecord.key({ tenant_id }), "m#2026-10": 2_000_000_000, "x#2026-10": 1, "i#in_1": 1_750_000 });
    const { body } = await plane.call("GET", "/v1/billing", { as: owner });
    expect(body.month).toMatchObject({ list_price_usd: 8, price_usd: 12 });
    expect([body.reported_usd, body.unreported_usd]).toEqual([0, 1.5 * 4 + 0.25]);
  });

  test("GET /v1/billing says that the provider's figures are unavailable if the provider does not answer", async () => {
    for (const error of [new Refusal("payments_unavailable", "down"), new Error("broken")]) {
      state = () => Promise.reject(error);
      const { status, body } = await plane.call("GET", "/v1/billing", { as: owner });
      expect([status, body.free_credit.left_tokens]).toEqual([200, 10_000]);
      expect(body.payments).toEqual({ state: "unavailable", invoices: [], disputes: [] });
    }
  });

  test("GET /v1/billing says so if the owner is not a customer yet, or if the platform does not bill", async () => {
    state = async () => undefined;
    expect((await plane.call("GET", "/v1/billing", { as: owner })).body.payments.state).toBe("pending");
    const other = await free.workspace("Free");
    const { body } = await free.call("GET", "/v1/billing", { as: other });
    expect([body.payments.state, body.month.markup]).toEqual(["off", 1]);
    expect(body).not.toHaveProperty("free_credit");
  });

  test("GET /v1/billing is only for the owner", async () => {
    const developer = await plane.developer(owner.tenant_id);
    expect((await plane.call("GET", "/v1/billing", { as: developer })).status).toBe(403);
  });
});

describe("GET /v1/billing?month=", () => {
  test("GET /v1/billing?month= shows a past month", async () => {
    const { tenant_id } = owner;
    await plane.stores.rollups.put([aRollup({ tenant_id, hour: "2026-09-03T07" })], 1);
    await put({ ...totalRecord.key({ tenant_id }), "m#2026-09": 3_000_000_000, "x#2026-09": 2 });
    const { body } = await plane.call("GET", "/v1/billing", { as: owner, query: { month: "2026-09" } });
    expect(body.month).toEqual({
      ...{ month: "2026-09", list_price_usd: 4, settled_usd: 4, estimated_usd: 0, unbilled_usd: 0 },
      ...{ credit_usd: 1, billed_usd: 6 },
      ...{ price_usd: 8, markup: 2, complete: true },
    });
  });

  test("GET /v1/billing?month= names the months that can be shown", async () => {
    for (const month of ["2026-12", "2020-01", "2026-13", "now"]) {
      const { status, body } = await plane.call("GET", "/v1/billing", { as: owner, query: { month } });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining("month: must be")]);
    }
  });
});

describe("GET /v1/billing/invoices", () => {
  test("GET /v1/billing/invoices gives a page, or a CSV in which a spreadsheet runs no formula", async () => {
    const { status, body } = await plane.call("GET", "/v1/billing/invoices", { as: owner });
    expect([status, body.data, typeof body.next_cursor]).toEqual([200, [invoice], "string"]);
    const query = { format: "csv", limit: "1000", cursor: body.next_cursor };
    const csv = await plane.call("GET", "/v1/billing/invoices", { as: owner, query });
    expect(csv.body.split("\r\n")[1]).toContain("in_1,,paid,,'=Acme (acme),,2026-10,3.004999,usd,3,0.57,3.57,3.57,0,");
    expect(asked).toEqual([
      [owner.tenant_id, { limit: 50, after: undefined }],
      [owner.tenant_id, { limit: 1_000, after: "in_1" }],
    ]);
  });

  test("GET /v1/billing/invoices is empty if the platform does not bill, and only for the owner", async () => {
    const other = await free.workspace("Free too");
    expect((await free.call("GET", "/v1/billing/invoices", { as: other })).body).toEqual({ data: [] });
    const developer = await plane.developer(owner.tenant_id);
    expect((await plane.call("GET", "/v1/billing/invoices", { as: developer })).status).toBe(403);
  });
});

describe("PATCH /v1/billing", () => {
  const contact = { billing_emails: ["books@acme.test"], purchase_order: "PO-1" };
  const patch = (body: object) => plane.call("PATCH", "/v1/billing", { as: owner, body });

  test("PATCH /v1/billing sets the recipients of mails and the order number on invoices, which are shown, audited and sent to the provider", async () => {
    expect(await patch(contact)).toMatchObject({ status: 200, body: contact });
    expect((await plane.call("GET", "/v1/billing", { as: owner })).body.contact).toEqual(contact);
    expect(asked).toEqual([[owner.tenant_id]]);
    const { body } = await plane.call("GET", "/v1/audit", { as: owner, query: { action: "tenant.billing_contact" } });
    expect(body.data).toMatchObject([{ actor: owner.sub, after: contact }]);
    const emptied = { billing_emails: [], purchase_order: null };
    expect((await patch(emptied)).body).toEqual({ billing_emails: [] });
  });

  test("PATCH /v1/billing takes effect even if the provider does not answer: the next report sends it", async () => {
    labelling = () => Promise.reject(new Refusal("payments_unavailable", "down"));
    expect(await patch({ purchase_order: "PO-2" })).toMatchObject({ status: 200, body: { purchase_order: "PO-2" } });
  });

  test.each([{}, { billing_emails: ["x"] }, { purchase_order: "" }, { tier: "pro" }])(
    "PATCH /v1/billing refuses %j",
    async (body) => {
      expect((await patch(body)).status).toBe(400);
    },
  );
});

describe("the provider's pages", () => {
  test("the payment provider's pages are opened for the owner, and lead back to the console", async () => {
    const setup = await plane.call("POST", "/v1/billing/setup", { as: owner });
    expect([setup.status, setup.headers.location]).toEqual([201, "https://checkout.example.com/c/pay?a=1&b=2"]);
    expect(setup.body).toEqual({ url: setup.headers.location });
    const portal = await plane.call("POST", "/v1/billing/portal", {
      as: owner,
      query: { origin: "http://localhost:5173" },
    });
    expect([portal.status, portal.headers.location]).toEqual([201, "https://portal.example.com/p"]);
    expect(asked).toEqual([
      [
        owner.tenant_id,
        {
          successUrl: "https://console.example.com/billing?payment=added",
          cancelUrl: "https://console.example.com/billing",
        },
      ],
      [owner.tenant_id, { returnUrl: "http://localhost:5173/billing" }],
    ]);
  });

  test.each(["https://evil.example", "https://console.example.com.evil.example", "https://console.example.com/x", ""])(
    "the payment provider's pages never lead to %j",
    async (origin) => {
      for (const path of ["/v1/billing/setup", "/v1/billing/portal"]) {
        const { status, body } = await plane.call("POST", path, { as: owner, query: { origin } });
        expect([status, body.error.details.fields]).toEqual([400, [expect.objectContaining({ path: "origin" })]]);
      }
      expect(asked).toEqual([]);
    },
  );

  test("the payment provider's pages do not exist on a platform that does not bill", async () => {
    const other = await free.workspace("Free 2");
    for (const path of ["/v1/billing/setup", "/v1/billing/portal"]) {
      expect((await free.call("POST", path, { as: other })).status).toBe(404);
    }
  });

  test("the payment provider's pages stay open while the workspace is suspended", async () => {
    const admin = { sub: "root", platform_role: "platform_admin" as const };
    const { tenant_id } = owner;
    const suspended = await plane.call("POST", `/v1/tenants/${tenant_id}/suspend`, {
      as: admin,
      body: { reason: "x" },
    });
    expect(suspended.status).toBe(200);
    expect((await plane.call("POST", "/v1/billing/setup", { as: owner })).status).toBe(201);
    expect((await plane.call("GET", "/v1/billing", { as: owner })).status).toBe(200);
  });
});

test("a person may cause thirty calls to the payment provider at once, and then one a second", async () => {
  const read = () => plane.call("GET", "/v1/billing/invoices", { as: owner });
  for (let time = 0; time < 30; time++) expect((await read()).status).toBe(200);
  const { status, headers, body } = await read();
  expect([status, headers["retry-after"], body.error.details.error_code]).toEqual([429, "1", "rate_limited"]);
  expect(asked).toHaveLength(30);
  const other = await plane.workspace("Beside");
  expect((await plane.call("GET", "/v1/billing", { as: other })).status).toBe(200);
});
