import { beforeEach, expect, test } from "@jest/globals";
import type { UserRecord } from "../../../domain/people/user.ts";
import {
  type PeopleProgress,
  processSetupJob,
  type ReconcileDependencies,
  reconcile,
  type SetupJob,
} from "../../../domain/provisioning/reconcile.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
let unchecked: string[];
let asked: string[];
let jobs: SetupJob[];
let isFinished: boolean;
let after: string | undefined;
let time: number;
let problems: string[];
let people: Record<string, Partial<UserRecord>>;
let refreshPayments: ((sub: string) => Promise<void>) | undefined;

beforeEach(() => {
  [unchecked, asked, jobs, problems] = [[], [], [], []];
  [people, isFinished] = [{}, true];
  [after, time] = [undefined, now];
  refreshPayments = undefined;
});

const deps = () =>
  ({
    tenants: { get: async () => undefined },
    unchecked: {
      async *unchecked(until: string) {
        asked.push(until);
        yield* unchecked;
      },
    },
    users: {
      record: async (sub: string) => ({ memberships: [], activeTenants: {}, profile: undefined, ...people[sub] }),
    },
    accounts: {
      listInvited: async () => ({ accounts: [], next: undefined }),
      listUnconfirmed: async () => ({ accounts: [], next: undefined }),
      async list(after?: string) {
        time += 10_000;
        const subs = Object.keys(people);
        const start = Number(after ?? 0);
        return { subs: subs.slice(start, start + 2), next: start + 2 < subs.length ? String(start + 2) : undefined };
      },
    },
    jobs: {
      send: async (job: SetupJob) => void jobs.push(job),
      sendAll: async (more: readonly SetupJob[]) => void jobs.push(...more),
    },
    progress: {
      read: async () => ({ isFinished, after }),
      write: async (at: PeopleProgress) => {
        [isFinished, after] = [at.isFinished, at.after];
      },
    },
    log: { info: () => {}, problem: (_m: string, { part }: { part: string }) => void problems.push(part) },
    clock: () => time,
    customers: {
      async *unread(before: string) {
        yield `${before} ada`;
      },
    },
    refreshPayments,
    outside: [{ steps: ["stripe_customer", "stripe_subscription"] }],
  }) as unknown as ReconcileDependencies;

test("tenants that were not checked since their creation are queued, except those that may still be created", async () => {
  unchecked = ["a", "b"];
  await reconcile(deps());
  expect(asked).toEqual(["2026-11-21T04:55:00.000Z"]);
  expect(jobs).toEqual([
    { kind: "tenant", tenant_id: "a" },
    { kind: "tenant", tenant_id: "b" },
  ]);
});

test("a stack that bills checks all people's workspaces once, as many pages an hour as there is time for, and the check is not queued twice", async () => {
  isFinished = false;
  await reconcile(deps());
  expect(jobs).toEqual([{ kind: "people" }]);
  const membership = (tenant_id: string, tenant_role: string) => ({ tenant_id, tenant_role }) as never;
  people = {
    ann: { memberships: [membership("t1", "owner"), membership("t2", "developer")] },
    bob: {},
    cy: { memberships: [membership("t3", "owner")] },
    ...{ dan: {}, eve: { memberships: [membership("t4", "owner")] } },
  };
  jobs = [];
  await processSetupJob(deps(), { kind: "people" });
  expect(jobs).toEqual([
    { kind: "tenant", tenant_id: "t1" },
    { kind: "tenant", tenant_id: "t3" },
  ]);
  expect([isFinished, after]).toEqual([false, "4"]);
  jobs = [];
  await reconcile(deps());
  expect(jobs).toEqual([{ kind: "people" }]);
  jobs = [];
  await processSetupJob(deps(), { kind: "people" });
  expect([jobs, isFinished, after]).toEqual([[{ kind: "tenant", tenant_id: "t4" }], true, undefined]);
  await processSetupJob(deps(), { kind: "people" });
  expect(jobs).toHaveLength(1);
  jobs = [];
  await reconcile(deps());
  expect(jobs).toEqual([]);
});

test("a stack without billing does not check people's workspaces, so that they are checked when it begins to bill", async () => {
  isFinished = false;
  people = { ann: { memberships: [{ tenant_id: "t1", tenant_role: "owner" } as never] } };
  const withoutBilling = { ...deps(), outside: [] };
  await reconcile(withoutBilling);
  await processSetupJob(withoutBilling, { kind: "people" });
  expect([jobs, isFinished]).toEqual([[], false]);
  await reconcile(deps());
  expect(jobs).toEqual([{ kind: "people" }]);
});

test("a failing part of the reconciliation is reported and does not stop the other parts", async () => {
  isFinished = false;
  const broken = {
    unchecked() {
      throw new Error("no answer");
    },
  };
  await expect(reconcile({ ...deps(), unchecked: broken as never })).rejects.toThrow("no answer");
  expect([problems, jobs]).toEqual([["queueUnchecked"], [{ kind: "people" }]]);
});

test("owners whose state at the payment provider was not read for a day are read again, if the stack bills", async () => {
  await reconcile(deps());
  expect(jobs).toEqual([]);
  const read: string[] = [];
  refreshPayments = async (sub) => void read.push(sub);
  await reconcile(deps());
  const [job] = jobs as [SetupJob];
  expect(job).toEqual({ kind: "customer", owner_sub: "2026-11-20T05:00:00.000Z ada" });
  await processSetupJob(deps(), job);
  expect(read).toEqual(["2026-11-20T05:00:00.000Z ada"]);
});
