import { describe, expect, test } from "@jest/globals";
import type { PaymentInvoice, PaymentSubscription } from "../../../domain/billing/payment-provider.ts";
import { eventTimeOf, isPastBilling, isTooOld } from "../../../domain/reporting/event-time.ts";

const at = (time: string) => Date.parse(`${time}Z`);
const subscription = (startedAt = at("2026-11-03T10:20:00")): PaymentSubscription => ({
  id: "sub_1",
  customerId: "cus_1",
  status: "active",
  startedAt,
  periodEndsAt: at("2026-12-01T00:00:00"),
});
const anInvoice = (changes: Partial<PaymentInvoice> = {}): PaymentInvoice => ({
  id: "in_1",
  subscriptionId: "sub_1",
  status: "draft",
  totalCents: 0,
  dueCents: 0,
  currency: "usd",
  quantity: 0,
  createdAt: at("2026-12-01T00:00:00"),
  finalizesAt: at("2026-12-04T00:00:00"),
  nextAttemptAt: undefined,
  url: undefined,
  ...changes,
});
const isPast = (hour: string, now: string, invoices: PaymentInvoice[] | undefined, startedAt?: number) =>
  isPastBilling(hour, at(now), subscription(startedAt), async () => {
    if (!invoices) throw new Error("not asked for");
    return invoices;
  });

test("an hour is stamped in its last second", () => {
  expect(eventTimeOf("2026-11-21T05")).toBe(at("2026-11-21T05:59:59"));
});

test("usage is too old an hour before the provider's 35 days are over", () => {
  expect(isTooOld("2026-11-01T00", at("2026-12-05T23:59:59"))).toBe(false);
  expect(isTooOld("2026-11-01T00", at("2026-12-06T00:00:00"))).toBe(true);
});

describe("an hour of the present month", () => {
  test("is billed, and no invoice is asked for", async () => {
    expect(await isPast("2026-11-21T05", "2026-11-21T06:10:00", undefined)).toBe(false);
  });

  test("in which the subscription began is billed whole, one before it is not", async () => {
    expect(await isPast("2026-11-03T10", "2026-11-03T11:10:00", undefined)).toBe(false);
    expect(await isPast("2026-11-03T09", "2026-11-03T11:10:00", undefined)).toBe(true);
    expect(await isPast("2026-11-03T10", "2026-11-03T11:10:00", undefined, at("2026-11-03T10:59:59"))).toBe(false);
  });
});

describe("an hour of a month that is over", () => {
  const now = "2026-12-01T01:10:00";

  test("is billed while the month's draft is open, or is still to be made", async () => {
    expect(await isPast("2026-11-30T23", now, [])).toBe(false);
    expect(await isPast("2026-11-30T23", now, [anInvoice()])).toBe(false);
    expect(await isPast("2026-11-30T23", now, [anInvoice({ finalizesAt: undefined })])).toBe(false);
  });

  test.each(["open", "paid", "void", "uncollectible"] as const)(
    "is not billed if the invoice is %s",
    async (status) => {
      expect(await isPast("2026-11-30T23", now, [anInvoice({ status })])).toBe(true);
    },
  );

  test("is not billed if the draft is final before what is sent now is counted", async () => {
    const soon = (minutes: number) => [anInvoice({ finalizesAt: at(now) + minutes * 60_000 })];
    expect(await isPast("2026-11-30T23", now, soon(20))).toBe(false);
    expect(await isPast("2026-11-30T23", now, soon(19))).toBe(true);
  });

  test("is not billed in the last six hours of a draft that has 72: nobody knows how long the provider takes to count", async () => {
    expect(await isPast("2026-11-30T23", "2026-12-03T18:00:00", [anInvoice()])).toBe(false);
    expect(await isPast("2026-11-30T23", "2026-12-03T18:00:01", [anInvoice()])).toBe(true);
  });

  test("goes by its own month's invoice of its own subscription", async () => {
    const others = [
      anInvoice({ subscriptionId: "sub_2", status: "paid" }),
      anInvoice({ createdAt: at("2026-11-01T00:00:00"), status: "paid" }),
      anInvoice({ createdAt: at("2027-01-01T00:00:00"), status: "paid" }),
    ];
    expect(await isPast("2026-11-30T23", now, others)).toBe(false);
  });

  test("is not mistaken by the invoice of an end in the next month", async () => {
    const end = anInvoice({ id: "in_2", createdAt: at("2026-12-01T00:30:00"), status: "open" });
    expect(await isPast("2026-11-30T23", now, [end, anInvoice()])).toBe(false);
  });
});
