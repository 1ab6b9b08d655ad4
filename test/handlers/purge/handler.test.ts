import { beforeEach, expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import type { PurgeJob } from "../../../domain/provisioning/purge.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { purgeHandler } from "../../../handlers/purge/handler.ts";
import type { LogLine } from "../../support/control-plane.ts";

const dayMs = 86_400_000;
const now = Date.parse("2026-11-21T05:00:00.000Z");

let deletedAt: Record<string, string>;
let requestedBy: string | undefined;
let lines: LogLine[];
let queued: PurgeJob[][];
let purged: string[];
let asked: string[];
/** Breaks the queue, or the removal of a tenant. */
let disturb: (tenantId?: string) => void;
let handler: ReturnType<typeof purgeHandler>;
beforeEach(() => {
  deletedAt = {
    old: new Date(now - 20 * dayMs).toISOString(),
    due: new Date(now - 14 * dayMs).toISOString(),
    fresh: new Date(now - dayMs).toISOString(),
  };
  [lines, queued, purged, asked] = [[], [], [], []];
  disturb = () => {};
  requestedBy = undefined;
  handler = purgeHandler({
    tenants: {
      get: async (tenant_id) =>
        ({
          tenant_id,
          slug: tenant_id,
          owner_sub: "ann",
          status: "deleted",
          deleted_at: deletedAt[tenant_id],
          purge_requested_by: requestedBy,
        }) as Tenant,
    },
    outside: [],
    ownedTenants: { release: async () => true },
    users: { record: async () => ({ profile: undefined, memberships: [], activeTenants: {} }) },
    accounts: { removeMembers: async () => ({ gone: [], removed: 0 }) },
    remains: {
      async *deletedUntil(time) {
        asked.push(time);
        for (const [id, at] of Object.entries(deletedAt)) if (at <= time) yield id;
      },
      manifest: async () => [],
      people: async () => [],
      remove: async ({ tenant_id }) => {
        disturb(tenant_id);
        return {};
      },
      forget: async ({ tenant_id }) => void purged.push(tenant_id),
    },
    jobs: {
      sendAll: async (jobs) => {
        disturb();
        queued.push([...jobs]);
      },
    },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    clock: () => now,
    newId: () => "e1",
  });
});

const schedule = () => handler({ source: "aws.events", "detail-type": "Scheduled Event" });
function work(...jobs: object[]) {
  const Records = jobs.map((job, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify(job),
    attributes: { ApproximateReceiveCount: "1" },
  }));
  return handler({ Records } as SQSEvent);
}

test("the purge's scheduled event only queues tenants whose deletion has settled, and each job checks whether its tenant is due", async () => {
  expect(await schedule()).toBeUndefined();
  expect(asked).toEqual([new Date(now - 900_000).toISOString()]);
  expect(queued).toEqual([[{ tenant_id: "old" }, { tenant_id: "due" }, { tenant_id: "fresh" }]]);
  expect([purged, lines]).toEqual([[], [{ message: "The scheduled work is done", facts: {} }]]);
});

test("the purge's schedule logs the cause and fails if the jobs cannot be queued", async () => {
  const cause = new Error("the queue is down");
  disturb = () => {
    throw cause;
  };
  await expect(schedule()).rejects.toThrow("the queue is down");
  expect(lines).toEqual([{ message: "The scheduled work failed", facts: {}, error: cause }]);
});

test("a purge job from the queue is carried out, and for a tenant that is not due only if it was requested", async () => {
  const jobs = [{ tenant_id: "due" }, { tenant_id: "fresh" }];
  expect(await work(...jobs)).toEqual({ batchItemFailures: [] });
  expect(purged).toEqual(["due"]);
  requestedBy = "root";
  await work({ tenant_id: "fresh" });
  expect(purged).toEqual(["due", "fresh"]);
});

test("a failing purge job returns to the queue, and no other job with it", async () => {
  disturb = (tenantId) => {
    if (tenantId === "old") throw new Error("the store is down");
  };
  const response = await work({ tenant_id: "old" }, { tenant_id: "due" });
  expect([response, purged]).toEqual([{ batchItemFailures: [{ itemIdentifier: "m0" }] }, ["due"]]);
  expect(lines.map(({ message }) => message)).toContain("A message failed");
});

test("a message that is not a purge job is given back, so that it becomes a dead letter", async () => {
  expect(await work({ tenant: "due" })).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(purged).toEqual([]);
});
