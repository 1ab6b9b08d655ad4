import { expect, test } from "@jest/globals";
import { invoicePage, shownInvoice } from "../../../domain/billing/owner-invoices.ts";
import { PaymentError } from "../../../domain/billing/payment-provider.ts";
import { anInvoice } from "../../support/billing/invoices.ts";

const at = (time: string) => Date.parse(time);
const page = { limit: 1, after: "in_9" };
const failing = (error: Error) => invoicePage({ invoicePage: () => Promise.reject(error) }, "cus_1", page);

test("a draft says when it becomes final, an unpaid invoice when it is tried again, and a paid one neither", () => {
  const finalizesAt = at("2026-12-01T01:00:00Z");
  const nextAttemptAt = at("2026-12-04T01:00:00Z");
  const shown = (["draft", "open"] as const).map((status) =>
    shownInvoice(anInvoice({ status, finalizesAt, nextAttemptAt: status === "open" ? nextAttemptAt : undefined })),
  );
  expect(shown.map(({ finalizes_at, next_attempt_at }) => [finalizes_at, next_attempt_at])).toEqual([
    ["2026-12-01T01:00:00.000Z", undefined],
    [undefined, "2026-12-04T01:00:00.000Z"],
  ]);
  expect(shownInvoice(anInvoice({ status: "paid", dueCents: 0 }))).not.toHaveProperty("next_attempt_at");
});

test("a page after an invoice that is not there is refused with the field's name, and other failures stay what they are", async () => {
  const missing = new PaymentError("invoices.list", { code: "resource_missing", param: "starting_after" });
  await expect(failing(missing)).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/^`?cursor\b/),
  });
  const other = new PaymentError("invoices.list", { code: "resource_missing", param: "customer" });
  await expect(failing(other)).rejects.toBe(other);
  const outage = new Error("no answer");
  await expect(failing(outage)).rejects.toBe(outage);
});

test("the last page names no further page", async () => {
  const invoices = [anInvoice({ id: "in_2" }), anInvoice({ id: "in_1" })];
  const nextOf = async (hasMore: boolean) =>
    (await invoicePage({ invoicePage: async () => ({ invoices, hasMore }) as never }, "cus_1", page)).next;
  expect([await nextOf(true), await nextOf(false)]).toEqual(["in_1", undefined]);
});
