import { beforeEach, expect, test } from "@jest/globals";
import { type OutsideResources, removeOutside, setUpOutside } from "../../../domain/provisioning/outside-resources.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

let ran: string[];
beforeEach(() => {
  ran = [];
});

const resources = (
  step: OutsideResources["steps"][number],
  { fails = false, waits = false } = {},
): OutsideResources => ({
  steps: [step],
  async setUp(tenantId) {
    if (fails) throw new Error(`${step} failed`);
    ran.push(`${step} of ${tenantId}`);
  },
  async remove(tenantId) {
    if (waits) return "waiting";
    ran.push(`${step} of ${tenantId}`);
    return { [step]: 1 };
  },
});
const tenant = { tenant_id: "t1", setup_state: { pending: ["kms_key", "stripe_customer"] } } as Tenant;

test("only a tenant's missing outside resources are set up", async () => {
  await setUpOutside([resources("kms_key"), resources("stripe_subscription")], tenant);
  expect(ran).toEqual(["kms_key of t1"]);
});

test("an outside resource that fails delays no other, and is reported once all others have ended", async () => {
  const failing = setUpOutside([resources("kms_key", { fails: true }), resources("stripe_customer")], tenant);
  await expect(failing).rejects.toThrow("kms_key failed");
  expect(ran).toEqual(["stripe_customer of t1"]);
});

test("all kinds of outside resources are removed, and counted together", async () => {
  expect(await removeOutside([resources("stripe_customer"), resources("kms_key")], "t1")).toEqual({
    stripe_customer: 1,
    kms_key: 1,
  });
});

test("an outside resource that has to wait also keeps those that come after it", async () => {
  expect(await removeOutside([resources("stripe_customer", { waits: true }), resources("kms_key")], "t1")).toBe(
    "waiting",
  );
  expect(ran).toEqual([]);
});
