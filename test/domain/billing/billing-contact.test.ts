import { expect, test } from "@jest/globals";
import { billingContact, billingContactBody, withContact } from "../../../domain/billing/billing-contact.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const tenant = aTenantOf("owner", "t1");

test("billing addresses and the purchase order number are set and removed separately", () => {
  const both = withContact(withContact(tenant, { billing_emails: ["a@acme.test"] }), { purchase_order: "PO-1" });
  expect(billingContact(both)).toEqual({ billing_emails: ["a@acme.test"], purchase_order: "PO-1" });
  expect(billingContact(withContact(both, { billing_emails: ["b@acme.test"] }))).toMatchObject({
    purchase_order: "PO-1",
  });
  expect(billingContact(withContact(both, { purchase_order: null }))).not.toHaveProperty("purchase_order");
  expect(withContact(withContact(both, { billing_emails: [] }), { purchase_order: null })).toEqual(tenant);
});

test("billing addresses are compared without case, and at most five are allowed", () => {
  expect(billingContactBody.parse({ billing_emails: ["A@acme.test"] })).toEqual({ billing_emails: ["a@acme.test"] });
  const six = Array.from({ length: 6 }, (_, index) => `a${index}@acme.test`);
  for (const billing_emails of [["nobody"], ["a@acme.test", "A@acme.test"], six]) {
    expect(billingContactBody.safeParse({ billing_emails }).success).toBe(false);
  }
  for (const body of [{}, { purchase_order: "" }, { purchase_order: "x".repeat(101) }]) {
    expect(billingContactBody.safeParse(body).success).toBe(false);
  }
});
