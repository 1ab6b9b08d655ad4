import { beforeEach, expect, test } from "@jest/globals";
import { maxOrphans, tendKeys } from "../../../domain/provisioning/tended-keys.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

type Deps = Parameters<typeof tendKeys>[0];

let stackKeys: { arn: string; tenantId: string; pending?: boolean }[];
let removed: string[];
let noted: string[][];
let renewed: string[];
let problems: string[];
beforeEach(() => {
  [stackKeys, removed, renewed, problems] = [[], [], [], []];
  noted = [];
});

const run = () =>
  tendKeys({
    tenants: {
      many: async (ids: readonly string[]) =>
        ids.filter((id) => id.startsWith("there")).map((tenant_id) => ({ tenant_id }) as Tenant),
    },
    keys: {
      async *ofStack() {
        yield* stackKeys;
      },
      isPendingDeletion: async (arn: string) => stackKeys.find((key) => key.arn === arn)?.pending ?? false,
      remove: async (arn: string) => removed.push(arn) > 0,
      unname: async () => {},
      bringPolicy: async (arn: string) => {
        if (arn === "broken") throw new Error("KMS refuses");
        return renewed.push(arn) > 0;
      },
    } as Partial<Deps["keys"]> as Deps["keys"],
    audit: { note: async (entry) => void noted.push([entry.tenant_id, entry.action, entry.target]) },
    clock: () => 0,
    newId: () => "e1",
    log: { info: () => {}, problem: (message) => problems.push(message) },
  });

test("a key whose tenant is gone is given up, and a key that waits for its deletion is skipped", async () => {
  stackKeys = [
    { arn: "k1", tenantId: "there-1" },
    { arn: "k2", tenantId: "gone-1" },
    { arn: "k3", tenantId: "gone-2", pending: true },
  ];
  await run();
  expect(removed).toEqual(["k2"]);
  expect(noted).toEqual([["platform", "tenant.undo", "gone-1"]]);
});

test("many keys without a tenant mean that the table is wrong, so no key is changed", async () => {
  stackKeys = Array.from({ length: maxOrphans + 1 }, (_, n) => ({ arn: `k${n}`, tenantId: `gone-${n}` }));
  await expect(run()).rejects.toThrow("is this the right table?");
  expect(removed).toEqual([]);
});

test("all keys are checked, even if they need more than one batch", async () => {
  stackKeys = Array.from({ length: 250 }, (_, n) => ({ arn: `k${n}`, tenantId: `there-${n}` }));
  stackKeys.push({ arn: "last", tenantId: "gone" });
  await run();
  expect(removed).toEqual(["last"]);
});

test("the key of an existing tenant gets the current policy, even if another key fails", async () => {
  stackKeys = [
    { arn: "broken", tenantId: "there-1" },
    { arn: "k2", tenantId: "there-2" },
    { arn: "k3", tenantId: "gone" },
  ];
  await run();
  expect([renewed, removed]).toEqual([["k2"], ["k3"]]);
  expect(problems).toEqual(["The policy of a tenant's key could not be renewed"]);
});
