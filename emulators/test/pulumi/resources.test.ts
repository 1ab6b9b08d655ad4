import { expect, test } from "@jest/globals";
import { Resources } from "../../pulumi/resources.ts";
import { declared } from "../support/declared-iam.ts";

const queue = declared(
  "aws:sqs/queue:Queue",
  "jobs",
  {},
  { name: "jobs-1", arn: "arn:aws:sqs:us-east-1:000000000000:jobs-1" },
);
const topic = declared(
  "aws:sns/topic:Topic",
  "jobs",
  {},
  { name: "jobs-1", arn: "arn:aws:sns:us-east-1:000000000000:jobs-1" },
);
const resources = new Resources([queue, topic]);

test("declared resources are found by type, in the program's order", () => {
  expect(resources.ofType("aws:sqs/queue:Queue")).toEqual([queue]);
  expect(resources.ofType("aws:s3/bucket:Bucket")).toEqual([]);
  expect([...resources]).toEqual([queue, topic]);
});

test("a resource is found by its ARN", () => {
  expect(resources.byArn(topic.outputs.arn)).toBe(topic);
  expect(resources.byArn("arn:aws:sns:us-east-1:000000000000:other")).toBeUndefined();
});

test("a declared resource is found by its type and its name on AWS, not by its logical name", () => {
  expect(resources.byName("aws:sns/topic:Topic", "jobs-1")).toBe(topic);
  expect(resources.byName("aws:sns/topic:Topic", "jobs")).toBeUndefined();
});
