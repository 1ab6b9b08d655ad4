import { expect, test } from "@jest/globals";
import { runPendingSteps } from "../../../domain/provisioning/setup-steps.ts";
import type { SetupStep, Tenant } from "../../../domain/workspace/tenant.ts";

const tenant = { tenant_id: "t1", status: "active", setup_state: { pending: ["kms_key", "free_credit"] } } as Tenant;

function run(of: Tenant | undefined, failing?: SetupStep) {
  const ran: string[] = [];
  const effect = (step: SetupStep) => async () => {
    if (step === failing) throw new Error(`${step} failed`);
    ran.push(step);
  };
  const effects = { kms_key: effect("kms_key"), free_credit: effect("free_credit"), membership: effect("membership") };
  const log = { info: () => {}, problem: (_: string, facts: object) => void ran.push(JSON.stringify(facts)) };
  return { ran, done: runPendingSteps({ effects, log }, of) };
}

test("the missing steps of a tenant's setup are carried out in their order", async () => {
  const { ran, done } = run(tenant);
  await done;
  expect(ran).toEqual(["kms_key", "free_credit"]);
});

test("a failing step of a tenant's setup is logged, delays no other step, and is thrown at the end", async () => {
  const { ran, done } = run(tenant, "kms_key");
  await expect(done).rejects.toThrow("kms_key failed");
  expect(ran).toEqual(['{"tenant_id":"t1","step":"kms_key"}', "free_credit"]);
});

test("a step of a tenant's setup that has to wait is reported", async () => {
  const log = { info: () => {}, problem: () => {} };
  const wait = { free_credit: async () => "pending", kms_key: async () => undefined };
  expect(await runPendingSteps({ effects: wait, log }, tenant)).toBe(false);
  expect(await runPendingSteps({ effects: { ...wait, free_credit: async () => undefined }, log }, tenant)).toBe(true);
});

test("the setup of a tenant that is deleted or purged does nothing", async () => {
  for (const gone of [{ ...tenant, status: "deleted" } as Tenant, undefined]) {
    const { ran, done } = run(gone);
    await done;
    expect(ran).toEqual([]);
  }
});
