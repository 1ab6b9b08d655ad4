import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Logs } from "../../emulators/cloudwatch-logs/logs.ts";
import { Functions } from "../../emulators/lambda/functions.ts";
import { QueuePoller } from "../../emulators/lambda/queue-poller.ts";
import { type DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import { checkWiring } from "../../emulators/pulumi/wiring.ts";
import { Queues } from "../../emulators/sqs/queues.ts";
import { Sqs } from "../../emulators/sqs/sqs.ts";
import { Store } from "../../emulators/store.ts";
import { type RunningEndpoint, region, startEndpoint } from "../../emulators/test/support/aws-endpoint.ts";
import type { EvaluateAnswer } from "../../local/program/evaluate.ts";

const folder = mkdtempSync(join(tmpdir(), "archway-queue-"));
const store = new Store(":memory:");
let queues: Queues;
let endpoint: RunningEndpoint;
let functions: Functions;
let poller: QueuePoller;
let logs: Logs;

async function declaredResources(): Promise<DeclaredResource[]> {
  const program = new URL("../support/program/queue-program.ts", import.meta.url).href;
  const worker = new Worker(new URL("../../local/program/evaluate.ts", import.meta.url), {
    workerData: { program, project: "archway", stack: "dev", region, config: {} },
  });
  const [answer] = (await once(worker, "message")) as [EvaluateAnswer];
  await worker.terminate();
  if (!answer.ok) throw new Error(answer.problems.join("\n"));
  return answer.resources;
}

beforeAll(async () => {
  const resources = new Resources(await declaredResources());
  endpoint = await startEndpoint({
    resources,
    services: ({ clock }) => {
      queues = new Queues({ resources, store, clock });
      return [new Sqs(queues, (instance) => functions.lineageOf(instance))];
    },
  });
  const { clock, credentials, iam } = endpoint;
  await checkWiring(resources, iam);
  logs = new Logs(folder, clock);
  functions = new Functions(resources, {
    clock,
    region,
    credentials,
    bundleFolder: folder,
    logs,
    hosts: [],
    edgePort: () => 0,
    awsUrl: () => endpoint.url,
  });
  poller = new QueuePoller({ resources, queues, functions, clock, region });
  poller.start();
});
afterAll(async () => {
  poller.close();
  await functions.stop();
  queues.close();
  await endpoint.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const queue = (name: string) => queues.byName(`${name}-local`);
const send = (...bodies: string[]) => {
  for (const body of bodies) queue("jobs").send({ body, senderId: "test" });
};
const bodies = (name: string) =>
  queue(name)
    .messages()
    .map(({ body }) => body);

test("a declared function handles its queue within its own rights", async () => {
  send('{"job":"one"}', '{"job":"two"}');
  await poller.idle();
  expect(bodies("jobs")).toEqual([]);
  expect(bodies("done").sort()).toEqual(['{"done":"one"}', '{"done":"two"}']);
  queue("done").purge();
});

test("a message that fails becomes a dead letter and can be replayed; the rest of the batch is handled once", async () => {
  send('{"job":"bad"}', '{"job":"good"}', "no JSON");
  await poller.idle();
  expect(bodies("jobs")).toEqual(['{"job":"bad"}', "no JSON"]);
  // Six times the function's timeout.
  for (let round = 0; round < 2; round++) {
    endpoint.clock.advance(60_000);
    await poller.idle();
  }
  expect(bodies("done")).toEqual(['{"done":"good"}']);
  expect(bodies("jobs")).toEqual([]);
  expect(bodies("jobs-dead-letters")).toEqual(['{"job":"bad"}', "no JSON"]);
  const failures = () => logs.lines("worker-local").filter(({ line }) => line.includes("A message failed"));
  // A worker's lines come on a way of their own, after its answer.
  while (failures().length < 4) await new Promise((resolve) => setImmediate(resolve));
  expect(failures()).toHaveLength(4);

  expect(queues.replay(queue("jobs-dead-letters").settings.name)).toBe(2);
  await poller.idle();
  expect(bodies("jobs")).toEqual(['{"job":"bad"}', "no JSON"]);
  queue("jobs").purge();
  queue("done").purge();
});

test("a call that fails after its effect is repeated: a message may be sent twice, and none is lost", async () => {
  endpoint.faults.put([{ service: "sqs", operation: "SendMessageBatch", when: "after", kind: "error", status: 503 }]);
  send('{"job":"three"}');
  await poller.idle();
  expect(bodies("done")).toEqual(['{"done":"three"}', '{"done":"three"}']);
});

test("a chain of messages is stopped once it has gone through a function sixteen times, as on Lambda", async () => {
  queue("done").purge();
  queue("jobs-dead-letters").purge();
  const looped = (times: number) => ({ senderId: "test", lineage: { "worker-local": times } });
  queue("jobs").send({ body: '{"job":"last"}', ...looped(15) });
  await poller.idle();
  expect(queue("done").messages()).toMatchObject([{ body: '{"done":"last"}', lineage: { "worker-local": 16 } }]);
  queue("jobs").send({ body: '{"job":"one too many"}', ...looped(16) });
  await poller.idle();
  expect(bodies("done")).toEqual(['{"done":"last"}']);
  expect(bodies("jobs-dead-letters")).toEqual(['{"job":"one too many"}']);
});
