import { beforeEach, expect, test } from "@jest/globals";
import { maxOrphans, type SweepDependencies, sweep, walkVersion, workOff } from "../../../domain/provisioning/sweep.ts";
import type { SetupJob } from "../../../domain/provisioning/tenant-setup.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { UserRecord } from "../../../domain/workspace/user.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
let unchecked: string[];
let asked: string[];
let jobs: SetupJob[];
let walked: number;
let stackKeys: { arn: string; tenantId: string; pending?: boolean }[];
let removed: string[];
let problems: string[];
let people: Record<string, Partial<UserRecord>>;
let profiles: string[];

beforeEach(() => {
  [unchecked, asked, jobs, walked, stackKeys, removed, problems] = [[], [], [], walkVersion, [], [], []];
  [people, profiles] = [{}, []];
});

const deps = () =>
  ({
    tenants: {
      get: async () => undefined,
      many: async (ids: readonly string[]) =>
        ids.filter((id) => id.startsWith("there")).map((tenant_id) => ({ tenant_id }) as Tenant),
    },
    setups: {
      async *unchecked(until: string) {
        asked.push(until);
        yield* unchecked;
      },
    },
    users: {
      record: async (sub: string) => ({ memberships: [], activeTenants: {}, profile: undefined, ...people[sub] }),
      putProfile: async ({ sub }: { sub: string }) => void profiles.push(sub),
    },
    people: {
      listInvited: async () => ({ accounts: [], next: undefined }),
      async list(after?: string) {
        const subs = Object.keys(people);
        const start = Number(after ?? 0);
        return { subs: subs.slice(start, start + 2), next: start + 2 < subs.length ? String(start + 2) : undefined };
      },
    },
    keys: {
      async *ofStack() {
        yield* stackKeys;
      },
      isPendingDeletion: async (arn: string) => stackKeys.find((key) => key.arn === arn)?.pending ?? false,
      remove: async (arn: string) => removed.push(arn) > 0,
      unname: async () => {},
    },
    jobs: {
      send: async (job: SetupJob) => void jobs.push(job),
      sendAll: async (more: readonly SetupJob[]) => void jobs.push(...more),
    },
    progress: {
      walked: async () => walked,
      walkIs: async (version: number) => {
        walked = version;
      },
    },
    log: { info: () => {}, problem: (_m: string, { part }: { part: string }) => void problems.push(part) },
    clock: () => now,
    effects: { stripe_subscription: async () => {} },
  }) as unknown as SweepDependencies;

test("tenants that nobody looked at since their creation are queued, but for those that may still be at it", async () => {
  unchecked = ["a", "b"];
  await sweep(deps());
  expect(asked).toEqual(["2026-11-21T04:55:00.000Z"]);
  expect(jobs).toEqual([
    { kind: "tenant", tenant_id: "a" },
    { kind: "tenant", tenant_id: "b" },
  ]);
});

test("all people are walked through once, a page a job: their workspaces are looked at, and those who wait are listed", async () => {
  walked = walkVersion - 1;
  await sweep(deps());
  expect(jobs).toEqual([{ kind: "people" }]);
  const membership = (tenant_id: string, tenant_role: string) => ({ tenant_id, tenant_role }) as never;
  people = {
    ann: { memberships: [membership("t1", "owner"), membership("t2", "developer")] },
    bob: { profile: { sub: "bob", email: "b@x", approval_status: "pending", created_at: "" } },
    cy: { memberships: [membership("t3", "owner")] },
  };
  jobs = [];
  await workOff(deps(), { kind: "people" });
  expect(jobs).toEqual([
    { kind: "tenant", tenant_id: "t1" },
    { kind: "people", after: "2" },
  ]);
  expect([walked, profiles]).toEqual([walkVersion - 1, ["bob"]]);
  jobs = [];
  await workOff(deps(), { kind: "people", after: "2" });
  expect([jobs, walked]).toEqual([[{ kind: "tenant", tenant_id: "t3" }], walkVersion]);
  jobs = [];
  await sweep(deps());
  expect(jobs).toEqual([]);
});

test("a stack that is billed for the first time walks through all people once more", async () => {
  walked = walkVersion - 1;
  await sweep({ ...deps(), effects: {} });
  expect(jobs).toEqual([]);
  await sweep(deps());
  expect(jobs).toEqual([{ kind: "people" }]);
});

test("a key whose tenant is gone is given up, and one that waits for its deletion is passed over", async () => {
  stackKeys = [
    { arn: "k1", tenantId: "there-1" },
    { arn: "k2", tenantId: "gone-1" },
    { arn: "k3", tenantId: "gone-2", pending: true },
  ];
  await sweep(deps());
  expect(removed).toEqual(["k2"]);
});

test("many keys without a tenant are a wrong table: none is touched, and the rest of the sweep is done", async () => {
  unchecked = ["a"];
  stackKeys = Array.from({ length: maxOrphans + 1 }, (_, n) => ({ arn: `k${n}`, tenantId: `gone-${n}` }));
  await expect(sweep(deps())).rejects.toThrow("is this the right table?");
  expect([removed, problems, jobs.length]).toEqual([[], ["removeOrphanedKeys"], 1]);
});

test("more keys than a batch has are all looked at", async () => {
  stackKeys = Array.from({ length: 250 }, (_, n) => ({ arn: `k${n}`, tenantId: `there-${n}` }));
  stackKeys.push({ arn: "last", tenantId: "gone" });
  await sweep(deps());
  expect(removed).toEqual(["last"]);
});
