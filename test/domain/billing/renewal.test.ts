import { expect, test } from "@jest/globals";
import { renewBilling } from "../../../domain/billing/renewal.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const billed = aTenantOf("ada", "t1", { stripe_customer_id: "cus_1", stripe_subscription_id: "sub_1" });

async function renewing(tenant: Tenant | undefined, isUnchanged = true) {
  const entries: AuditEntry[] = [];
  const renew = async (_: Tenant, entry: AuditEntry) => {
    entries.push(entry);
    return isUnchanged;
  };
  const deps = { tenants: { get: async () => tenant }, renewals: { renew }, clock: () => 0, newId: () => "id" };
  return { refusal: await renewBilling(deps, "t1"), entries };
}

test("a renewal of the billing is in the workspace's audit trail, with the subscription and the customer that it replaces", async () => {
  const { refusal, entries } = await renewing(billed);
  expect(refusal).toBeUndefined();
  expect(entries).toMatchObject([
    {
      ...{ tenant_id: "t1", actor: "operator", action: "subscription.renew", target: "t1" },
      before: { stripe_subscription_id: "sub_1", stripe_customer_id: "cus_1" },
    },
  ]);
});

test.each<[string, Tenant | undefined, RegExp]>([
  ["there is no such workspace", undefined, /no such workspace/],
  ["the workspace is deleted", { ...billed, status: "deleted" }, /is deleted/],
  ["its first subscription is not made yet", { ...billed, stripe_subscription_id: undefined }, /is being made/],
])("a renewal of the billing is refused if %s", async (_, tenant, told) => {
  const { refusal, entries } = await renewing(tenant);
  expect(refusal).toMatch(told);
  expect(entries).toEqual([]);
});

test("a renewal of the billing says that it is to be tried again if the workspace has changed meanwhile", async () => {
  expect((await renewing(billed, false)).refusal).toMatch(/try again/);
});
