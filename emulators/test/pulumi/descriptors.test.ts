import { describe, expect, test } from "@jest/globals";
import type { Descriptor } from "../../pulumi/descriptor.ts";
import { byType, descriptors } from "../../pulumi/descriptors.ts";

const region = "eu-central-1";

/** A name and inputs that are enough for each type. */
const inputs = {
  domain: "auth.localhost",
  domainName: "*.proxy.localhost",
  functionName: "proxy-local",
  identifier: "platform",
  name: undefined,
  role: "role-local",
  rule: "rule-local",
  userPoolId: "pool",
};
const types = [...descriptors.keys()];
const created = (type: string, name: string, more: object = {}) => {
  const descriptor = descriptors.get(type);
  if (!descriptor) throw new Error(`${type} is not described`);
  return descriptor.compute(name, { ...inputs, ...more }, region, "000000000000");
};

describe("every type", () => {
  test.each(types)("the outputs of %s are the same in each run, so that stored data keeps its meaning", (type) => {
    expect(created(type, "one")).toEqual(created(type, "one"));
    expect(created(type, "one").id).toMatch(/./);
  });

  test.each(types.filter((type) => "arn" in created(type, "one").outputs))(
    "the resource %s has an ARN in the account",
    (type) => {
      // A bucket's name is the world's: its ARN has neither region nor account.
      const place = type === "aws:s3/bucket:Bucket" ? "::" : "(eu-central-1)?:000000000000:";
      expect(created(type, "one").outputs.arn).toMatch(new RegExp(`^arn:aws:[a-z0-9-]+:${place}.`));
    },
  );

  test("resources of every type have different identities under different names", () => {
    const named = types.filter((type) => created(type, "one").id !== created(type, "two").id);
    // These have their name as an input, or are told by what they make.
    expect(types.filter((type) => !named.includes(type)).toSorted()).toEqual([
      "aws:apigatewayv2/domainName:DomainName",
      "aws:apigatewayv2/stage:Stage",
      "aws:cloudwatch/logIndexPolicy:LogIndexPolicy",
      "aws:cognito/identityProvider:IdentityProvider",
      "aws:cognito/resourceServer:ResourceServer",
      "aws:cognito/userPoolDomain:UserPoolDomain",
      "aws:lambda/functionUrl:FunctionUrl",
      "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
      "aws:s3/bucketObjectv2:BucketObjectv2",
      "aws:sqs/queuePolicy:QueuePolicy",
      "pulumi:providers:aws",
    ]);
  });
});

describe("a name", () => {
  test("a resource without a name in the program gets a name that differs from its logical name", () => {
    expect(created("aws:dynamodb/table:Table", "main").outputs).toEqual({
      name: "main-local",
      arn: "arn:aws:dynamodb:eu-central-1:000000000000:table/main-local",
    });
  });

  test("a resource's name in the program is kept", () => {
    const { id, outputs } = created("aws:iam/role:Role", "proxy", { name: "model-host" });
    expect([id, outputs.arn]).toEqual(["model-host", "arn:aws:iam::000000000000:role/model-host"]);
  });
});

test("a function URL contains its region and its id", () => {
  const { urlId, functionUrl } = created("aws:lambda/functionUrl:FunctionUrl", "proxy").outputs;
  expect(urlId).toMatch(/^[a-z0-9]{32}$/);
  expect(functionUrl).toBe(`https://${urlId}.lambda-url.eu-central-1.on.aws/`);
});

test("an app client has a secret only if the program requests one", () => {
  const type = "aws:cognito/userPoolClient:UserPoolClient";
  expect(created(type, "console").outputs).not.toHaveProperty("clientSecret");
  expect(created(type, "connector", { generateSecret: true }).outputs.clientSecret).toMatch(/^[a-z0-9]{51}$/);
});

test("a certificate belongs to the region that it names", () => {
  const type = "aws:acm/certificate:Certificate";
  expect(created(type, "proxy", { region: "us-east-1" }).outputs.arn).toMatch(/^arn:aws:acm:us-east-1:/);
  expect(created(type, "proxy").outputs.arn).toMatch(/^arn:aws:acm:eu-central-1:/);
});

test("a type that is described twice is refused, so that neither description is silently ignored", () => {
  const queue: Descriptor = { type: "aws:sqs/queue:Queue", compute: (id) => ({ id, outputs: {} }), inputs: {} };
  expect(byType([queue]).get(queue.type)).toBe(queue);
  expect(() => byType([queue, { ...queue }])).toThrow("aws:sqs/queue:Queue has two descriptors.");
});
