import { beforeEach, expect, test } from "@jest/globals";
import { completeSetup, type SetupDependencies, setUpOutside } from "../../../domain/provisioning/tenant-setup.ts";
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
    effects: { kms_key: effect("kms_key"), free_credit: effect("free_credit"), membership: effect("membership") },
    setups: {
      restore: async () => void ran.push("restore"),
      checked: async () => void ran.push("checked"),
    },
    log: {
      info: () => {},
      problem: (_message: string, facts: { step: string }) => void ran.push(`problem ${facts.step}`),
    },
  }) as unknown as SetupDependencies;

test("what lies outside the table is set up, as far as anybody provides it", async () => {
  await setUpOutside(deps(), "t1");
  expect(ran).toEqual(["kms_key"]);
});

test("a setup is completed: the rows of later versions, credit, access, key, and then nobody looks at it any more", async () => {
  await completeSetup(deps(), "t1");
  expect(ran).toEqual(["restore", "free_credit", "membership", "kms_key", "checked"]);
});

test("what is done is not done again", async () => {
  tenant = { ...(tenant as Tenant), setup_state: { pending: [] } };
  await completeSetup(deps(), "t1");
  expect(ran).toEqual(["restore", "checked"]);
});

test("a step that fails holds up none of the others, and the tenant is looked at again", async () => {
  failing = "free_credit";
  await expect(completeSetup(deps(), "t1")).rejects.toThrow("free_credit failed");
  expect(ran).toEqual(["restore", "problem free_credit", "membership", "kms_key"]);
});

test("a deleted tenant gets nothing more, and one that is gone not even a look", async () => {
  tenant = { ...(tenant as Tenant), status: "deleted" };
  await setUpOutside(deps(), "t1");
  await completeSetup(deps(), "t1");
  expect(ran).toEqual(["restore", "checked"]);
  [tenant, ran] = [undefined, []];
  await completeSetup(deps(), "t1");
  expect(ran).toEqual([]);
});
