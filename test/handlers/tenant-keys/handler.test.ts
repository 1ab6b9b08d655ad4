import { beforeEach, expect, test } from "@jest/globals";
import type { TenantKeysDependencies } from "../../../handlers/tenant-keys/handler.ts";
import { tenantKeysHandler } from "../../../handlers/tenant-keys/handler.ts";

let keys: Set<string>;
let status: string;
let existing: string[];
let problems: string[];
beforeEach(() => {
  keys = new Set(["k1", "k2"]);
  [status, existing, problems] = ["deleted", ["t1"], []];
});

const ask = (event: unknown, many = async () => existing.map((tenant_id) => ({ tenant_id }))) =>
  tenantKeysHandler({
    tenants: { get: async () => ({ tenant_id: "t1", status, setup_state: { pending: ["kms_key"] } }), many },
    manifest: {
      resource: async () => "k1",
      claim: async () => ({ until: 1, isRepeat: false }),
      note: async () => true,
      done: async () => {},
    },
    keys: {
      named: async () => undefined,
      tagged: async () => [...keys],
      create: async () => {
        keys.add("new");
        return "new";
      },
      name: async () => {},
      remove: async (arn: string) => keys.delete(arn),
      unname: async () => {},
      isPendingDeletion: async () => false,
      bringPolicy: async () => false,
      async *ofStack() {
        yield { arn: "k1", tenantId: "t1" };
        yield { arn: "k2", tenantId: "t2" };
      },
    },
    audit: { note: async () => {} },
    newId: () => "e1",
    log: { info: () => {}, problem: (message: string) => void problems.push(message) },
    clock: () => 0,
  } as unknown as TenantKeysDependencies)(event as never);
const schedule = { source: "aws.events", "detail-type": "Scheduled Event" };

test("a tenant without a key gets one", async () => {
  status = "active";
  expect(await ask({ action: "set_up", input: { tenant_id: "t1" } })).toEqual({ result: {} });
  expect([...keys]).toEqual(["k1", "k2", "new"]);
});

test("a deleted tenant's keys are removed: the recorded one, and any with its tag", async () => {
  const request = { action: "remove", input: { tenant_id: "t1" } };
  expect(await ask(request)).toEqual({ result: { removed: { kms_key: 2 } } });
  expect(await ask(request)).toEqual({ result: { removed: { kms_key: 0 } } });
});

test.each(["active", "suspended"])("no key of a tenant that is %s is removed, whoever asks", async (now) => {
  status = now;
  expect(await ask({ action: "remove", input: { tenant_id: "t1" } })).toMatchObject({
    refusal: { code: "workspace_not_deleted" },
  });
  expect(keys.size).toBe(2);
});

test("the schedule of tenant-keys removes keys without a tenant", async () => {
  expect(await ask(schedule)).toBeUndefined();
  expect([...keys]).toEqual(["k1"]);
});

test("the schedule of tenant-keys logs the cause and fails", async () => {
  const down = async () => {
    throw new Error("no answer");
  };
  await expect(ask(schedule, down)).rejects.toThrow("no answer");
  expect(problems).toEqual(["The stack's keys could not be tended"]);
});
