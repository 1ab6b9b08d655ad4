import { expect, test } from "@jest/globals";
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { policyDocument, roleLink, sendLink } from "../../components/link.ts";

const arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";

function known<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => pulumi.output(output).apply(resolve));
}

test("a role's link may assume that role and tag the session", async () => {
  const role = "arn:aws:iam::000000000000:role/model-host";
  const link = roleLink(pulumi.output(role));
  expect(await known(link.value)).toBe(role);
  expect(await known(link.allow)).toEqual([{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [role] }]);
});

test("a policy document is plain JSON in which every output is resolved", async () => {
  const document = policyDocument([
    { actions: ["s3:GetObject"], resources: [pulumi.interpolate`${arn}/*`] },
    {
      actions: ["s3:PutObject"],
      resources: ["*"],
      conditions: { StringEquals: { "aws:RequestTag/a": pulumi.output("b") } },
    },
  ]);
  expect(JSON.parse(await known(document))).toEqual({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: ["s3:GetObject"], Resource: [`${arn}/*`] },
      {
        Effect: "Allow",
        Action: ["s3:PutObject"],
        Resource: ["*"],
        Condition: { StringEquals: { "aws:RequestTag/a": "b" } },
      },
    ],
  });
});

test("a queue's link is its URL, with only the right to send to it", async () => {
  const url = "https://sqs.eu-central-1.amazonaws.com/000000000000/jobs";
  const queueArn = "arn:aws:sqs:eu-central-1:000000000000:jobs";
  const link = sendLink({ url: pulumi.output(url), arn: pulumi.output(queueArn) } as aws.sqs.Queue);
  expect(await known(link.value)).toBe(url);
  expect(await known(link.allow)).toEqual([{ actions: ["sqs:SendMessage"], resources: [queueArn] }]);
});
