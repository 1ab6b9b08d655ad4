import { beforeEach, expect, test } from "@jest/globals";
import { type CompletionDependencies, completeSetup } from "../../../domain/provisioning/setup-completion.ts";
import type { SetupStep, Tenant } from "../../../domain/workspace/tenant.ts";

let tenant: Tenant | undefined;
let ran: string[];
let failing: SetupStep | undefined;

beforeEach(() => {
  const pending: SetupStep[] = ["kms_key", "stripe_customer", "free_credit", "membership"];
  tenant = { tenant_id: "t1", status: "active", setup_state: { pending } } as Tenant;
  [ran, failing] = [[], undefined];
});

const effect = (step: SetupStep) => async () => {
  if (step === failing) throw new Error(`${step} failed`);
  ran.push(step);
};
const deps = () =>
  ({
    tenants: { get: async () => tenant },
    effects: { free_credit: effect("free_credit"), membership: effect("membership") },
    outside: [
      { steps: ["kms_key"], setUp: effect("kms_key") },
      { steps: ["stripe_subscription"], setUp: effect("stripe_subscription") },
    ],
    unchecked: { checked: async () => void ran.push("checked") },
    log: {
      info: () => {},
      problem: (_message: string, facts: { step: string }) => void ran.push(`problem ${facts.step}`),
    },
  }) as unknown as CompletionDependencies;

test("a setup is completed with credit, access and key, and is then no longer checked", async () => {
  await completeSetup(deps(), "t1");
  expect(ran.slice(0, -1).toSorted()).toEqual(["free_credit", "kms_key", "membership"]);
  expect(ran.at(-1)).toBe("checked");
});

test("a finished step of a tenant's setup is not done again", async () => {
  tenant = { ...(tenant as Tenant), setup_state: { pending: [] } };
  await completeSetup(deps(), "t1");
  expect(ran).toEqual(["checked"]);
});

test("a failing step of a setup delays no other step, and the tenant is checked again", async () => {
  failing = "free_credit";
  await expect(completeSetup(deps(), "t1")).rejects.toThrow("free_credit failed");
  expect(ran.toSorted()).toEqual(["kms_key", "membership", "problem free_credit"]);
});

test("a deleted tenant's setup does nothing more, and a purged tenant is not even checked", async () => {
  tenant = { ...(tenant as Tenant), status: "deleted" };
  await completeSetup(deps(), "t1");
  expect(ran).toEqual(["checked"]);
  [tenant, ran] = [undefined, []];
  await completeSetup(deps(), "t1");
  expect(ran).toEqual([]);
});

test("a deleted tenant whose usage is still to be reported stays on the list of unchecked tenants", async () => {
  tenant = { ...(tenant as Tenant), status: "deleted" };
  await completeSetup({ ...deps(), endBilling: async () => false }, "t1");
  expect(ran).toEqual([]);
  await completeSetup({ ...deps(), endBilling: async () => true }, "t1");
  expect(ran).toEqual(["checked"]);
});
