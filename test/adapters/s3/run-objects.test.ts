import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runObjects } from "../../../adapters/s3/run-objects.ts";
import type { RunObjects } from "../../../domain/runs/run-objects.ts";
import { type SkillBucket, startSkillBucket } from "../../support/skills/skill-bucket.ts";

const key = { tenantId: "t1", skill: "weekly-report", id: "r1" };
let bucket: SkillBucket;
let objects: RunObjects;
beforeEach(async () => {
  bucket = await startSkillBucket();
  objects = runObjects(bucket.name, bucket.client);
});
afterEach(() => bucket.close());

test("a run's input is read as it was stored, completely or in part", async () => {
  const whole = { input: { week: 47, text: "ä\0" }, args: ["--all"], files: [{ name: "a", content: "AA==" }] };
  for (const input of [whole, { input: null }, {}]) {
    await objects.putInput(key, input);
    expect(await objects.input(key)).toEqual(input);
  }
});

test("outputs and files of a run are read under the run's own names", async () => {
  const bytes = Uint8Array.from([0, 255, 128]);
  await objects.putOutput(key, { output: "ä\u0000", stderr: "" });
  await objects.putFile(key, 1, bytes);
  expect(await objects.output(key)).toEqual({ output: "ä\u0000", stderr: "" });
  expect(Buffer.from((await objects.file(key, 1)) ?? "")).toEqual(Buffer.from(bytes));
  expect(bucket.keys()).toEqual(["runs/t1/r1/files/1", "runs/t1/r1/output"]);
});

test("a run's object is not found after a day, nor for another run or workspace", async () => {
  await objects.putOutput(key, { output: "x", stderr: "" });
  expect([await objects.input(key), await objects.file(key, 1)]).toEqual([undefined, undefined]);
  expect(await objects.output({ ...key, id: "r2" })).toBeUndefined();
  expect(await objects.output({ ...key, tenantId: "t2" })).toBeUndefined();
});
