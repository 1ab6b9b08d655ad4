import { expect, test } from "@jest/globals";
import { payerOf } from "../../../domain/billing/payer.ts";

const tenant = {
  stripe_customer_id: "cus_1",
  stripe_subscription_id: "sub_1",
  billing_slot: 2,
  status: "active",
  name: "Acme",
  slug: "acme",
} as const;
const label = { workspace: "Acme (acme)", purchaseOrder: undefined };
const payer = { customerId: "cus_1", subscriptionId: "sub_1", slot: 2, label, isDeleted: false };

test("a workspace is billed by its slot, also a suspended or deleted workspace for its usage", () => {
  expect(payerOf(tenant)).toEqual(payer);
  expect(payerOf({ ...tenant, status: "suspended" })).toEqual(payer);
  expect(payerOf({ ...tenant, status: "deleted" })).toEqual({ ...payer, isDeleted: true });
});

test("a workspace that is purged, or has no subscription yet, is billed to no customer", () => {
  expect(payerOf(undefined)).toBeUndefined();
  for (const name of ["stripe_customer_id", "stripe_subscription_id", "billing_slot"] as const) {
    expect(payerOf({ ...tenant, [name]: undefined })).toBeUndefined();
  }
});
