import { expect, test } from "@jest/globals";
import { SpecBucket } from "../../components/mcp-gateway/spec-bucket.ts";
import { SkillBucket } from "../../components/skills/skill-bucket.ts";
import { declarationsOf } from "../support/program/pulumi-program.ts";

test("each bucket of tenants' objects has one prefix under which objects expire", async () => {
  const program = await declarationsOf(() => {
    new SpecBucket("specs");
    new SkillBucket("skills");
  });
  const rules = program
    .ofType("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
    .map(({ inputs }) => inputs.rules);
  expect(rules).toHaveLength(2);
  for (const [rule, ...more] of rules) {
    expect(more).toEqual([]);
    expect(rule).toMatchObject({
      status: "Enabled",
      filter: { prefix: expect.stringMatching(/\/$/) },
      expiration: { days: expect.any(Number) },
    });
  }
});
