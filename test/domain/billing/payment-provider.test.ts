import { expect, test } from "@jest/globals";
import { PaymentError } from "../../../domain/billing/payment-provider.ts";

test.each([
  [{}, "missing"],
  [{ param: "customer" }, "missing (customer)"],
  [{ param: "customer", requestId: "req_1" }, "missing (customer, req_1)"],
])("a refused call of the payment provider is told with its code, parameter and request: %j", (details, told) => {
  const error = new PaymentError("invoices.pay", { code: "missing", ...details });
  expect(String(error)).toBe(`PaymentError: The payment provider refused invoices.pay: ${told}`);
});
