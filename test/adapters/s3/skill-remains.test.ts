import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runObjects } from "../../../adapters/s3/run-objects.ts";
import { skillContents } from "../../../adapters/s3/skill-contents.ts";
import { skillRemains } from "../../../adapters/s3/skill-remains.ts";
import { type SkillBucket, startSkillBucket } from "../../support/skills/skill-bucket.ts";

let bucket: SkillBucket;
beforeEach(async () => {
  bucket = await startSkillBucket();
});
afterEach(() => bucket.close());

test("a purge removes all versions and runs of its tenant, returns their number, and leaves those of a tenant whose id begins alike", async () => {
  const contents = skillContents(bucket.name, bucket.client);
  const objects = runObjects(bucket.name, bucket.client);
  for (const tenantId of ["t1", "t10"]) {
    await contents.put(tenantId, "c1", []);
    await objects.putInput({ tenantId, skill: "s", id: "r1" }, {});
    await objects.putFile({ tenantId, skill: "s", id: "r1" }, 1, new Uint8Array());
  }
  const remains = skillRemains(bucket.name, bucket.client);
  expect(await remains.remove("t1")).toEqual({ skill_object: 3 });
  expect(bucket.keys().filter((key) => !key.includes("/t10/"))).toEqual([]);
  expect(bucket.keys()).toHaveLength(3);
  expect(await remains.remove("t1")).toEqual({ skill_object: 0 });
});
