import { expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import type { ReconcileDependencies } from "../../../domain/provisioning/reconcile.ts";
import { reconcileHandler } from "../../../handlers/reconcile/handler.ts";

/** A handler whose schedule and jobs note what they looked at. */
function reconciling(failing?: string) {
  const seen: string[] = [];
  const handler = reconcileHandler({
    tenants: {
      get: async (id: string) => {
        if (id === failing) throw new Error("no answer");
        seen.push(id);
      },
    },
    unchecked: {
      async *unchecked() {
        yield "t1";
      },
    },
    progress: { read: async () => ({ finishedRound: 1, after: undefined }), write: async () => {} },
    outside: [],
    accounts: {
      listInvited: async () => ({ accounts: [], next: undefined }),
      listUnconfirmed: async () => ({ accounts: [], next: undefined }),
    },
    jobs: {
      sendAll: async (jobs: { tenant_id: string }[]) => void seen.push(...jobs.map((job) => `job ${job.tenant_id}`)),
    },
    log: { info: () => {}, problem: () => {} },
    clock: () => 0,
  } as unknown as ReconcileDependencies);
  return { seen, handler };
}

test("the schedule of reconcile queues work that may be incomplete", async () => {
  const { seen, handler } = reconciling();
  expect(await handler({ source: "aws.events", "detail-type": "Scheduled Event" })).toBeUndefined();
  expect(seen).toEqual(["job t1"]);
});

test("jobs of reconcile are done separately, and only failed jobs come back", async () => {
  const { seen, handler } = reconciling("t2");
  const record = (id: string) => ({
    messageId: `m-${id}`,
    body: JSON.stringify({ kind: "tenant", tenant_id: id }),
    attributes: { ApproximateReceiveCount: "1" },
  });
  const Records = ["t1", "t2"].map(record);
  expect(await handler({ Records } as SQSEvent)).toEqual({ batchItemFailures: [{ itemIdentifier: "m-t2" }] });
  expect(seen).toEqual(["t1"]);
});
