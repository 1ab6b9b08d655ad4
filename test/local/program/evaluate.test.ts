import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "@jest/globals";
import type { EvaluateAnswer } from "../../../local/program/evaluate.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";

async function evaluate(program: string): Promise<EvaluateAnswer> {
  const workerData = { program, project: "archway", stack: "dev", region: "eu-central-1", config: {} };
  const worker = new Worker(new URL("../../../local/program/evaluate.ts", import.meta.url), {
    workerData,
    stderr: true,
  });
  const [answer] = await once(worker, "message");
  await worker.terminate();
  return answer;
}

test("a resource type, a look-up and an output that are not emulated are each named", async () => {
  const answer = await evaluate(new URL("../../support/program/unknown-program.ts", import.meta.url).href);
  expect(answer.ok).toBe(false);
  expect((answer as { problems: string[] }).problems.sort()).toEqual([
    'aws:cloudwatch/logGroup:LogGroup "group".name uses an output that the local stack does not compute.',
    "aws:index/getAvailabilityZones:getAvailabilityZones is looked up, and the local stack does not know it.",
    'aws:sfn/activity:Activity "activity" is declared, and the local stack does not know this type.',
  ]);
});

test("every mistake of the stack's configuration is reported together, by its key", async () => {
  const config = await readStackConfig(localStackFile, {
    "archway:originSecret": "short",
    "archway:colour": "blue",
    "archway:limits": '{"burst":0}',
  });
  const failure = await evaluateProgram(config).catch((error: Error) => error.message);
  for (const key of ["archway:originSecret", "archway:colour", "archway:limits.burst"]) expect(failure).toContain(key);
  expect(failure).not.toContain("short");
});
