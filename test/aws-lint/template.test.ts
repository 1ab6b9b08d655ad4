import { beforeAll, describe, expect, test } from "@jest/globals";
import { Resources } from "../../emulators/pulumi/resources.ts";
import { evaluateProgram, localStackFile, type Program, readStackConfig } from "../../local/program/program.ts";
import { type Template, templatesOf } from "./template.ts";

let program: Program;
let templates: Map<string, Template>;

beforeAll(async () => {
  program = await evaluateProgram(await readStackConfig(localStackFile));
  templates = templatesOf(program.resources, program.region);
});

const typesIn = (region: string) => Object.values(templates.get(region)?.Resources ?? {}).map(({ Type }) => Type);

test("the template leaves out only resources that its rules or policies contain, or that only wait", () => {
  const ofAws = [...program.resources].filter(({ type }) => type.startsWith("aws:"));
  const left = ofAws.filter(({ type }) =>
    /EventTarget|CertificateValidation|RolePolicyAttachment|TableItem|LogIndexPolicy|BucketLifecycle|BucketObject|PublicAccessBlock/.test(
      type,
    ),
  );
  expect([...templates.keys()].flatMap(typesIn)).toHaveLength(ofAws.length - left.length);
});

test("each region has its own template", () => {
  expect(typesIn("us-east-1")).toEqual(Array(4).fill("AWS::CertificateManager::Certificate"));
  expect(typesIn(program.region)).toContain("AWS::Lambda::Function");
});

describe("in a template", () => {
  const find = (type: string) =>
    Object.values(templates.get(program.region)?.Resources ?? {}).find(({ Type }) => Type === type)?.Properties;

  test("ARNs and ids of the template's own resources are references", () => {
    expect(find("AWS::Lambda::Function")?.Role).toEqual({
      "Fn::GetAtt": [expect.stringMatching(/^IAMRole[A-Z]/), "Arn"],
    });
    expect(find("AWS::ApiGatewayV2::Route")?.ApiId).toEqual({ Ref: "ApiGatewayV2ApiTenantPlatform" });
  });

  test("a translated rule has its targets", () => {
    expect(find("AWS::Events::Rule")?.Targets).toEqual([
      {
        Id: "agentcore",
        Arn: { "Fn::GetAtt": ["LambdaFunctionAgentcore", "Arn"] },
        DeadLetterConfig: { Arn: { "Fn::GetAtt": ["SQSQueueAgentcoreScheduleDeadLetters", "Arn"] } },
      },
    ]);
  });

  test("a translated managed policy has its roles", () => {
    expect(find("AWS::IAM::ManagedPolicy")?.Roles).toEqual(["proxy-model-host-111111111111-local"]);
  });

  test("keys that are data keep their case in the template", () => {
    expect(find("AWS::IAM::Role")?.AssumeRolePolicyDocument).toHaveProperty("Version", "2012-10-17");
    expect(find("AWS::Lambda::Function")?.Environment.Variables).toHaveProperty("TABLE_NAME");
  });
});

test("a translated queue has CloudFormation's property names, and its redrive policy keeps its own", () => {
  const dead = {
    type: "aws:sqs/queue:Queue",
    name: "dead",
    inputs: {},
    outputs: { name: "dead-local", arn: "arn:dead" },
  };
  const redrivePolicy = JSON.stringify({ deadLetterTargetArn: "arn:dead", maxReceiveCount: 5 });
  const jobs = {
    ...dead,
    name: "jobs",
    inputs: { visibilityTimeoutSeconds: 60, redrivePolicy },
    outputs: { name: "jobs" },
  };
  const template = templatesOf(new Resources([dead, jobs]), "eu-central-1").get("eu-central-1");
  expect(template?.Resources.SQSQueueJobs?.Properties).toEqual({
    QueueName: "jobs",
    VisibilityTimeout: 60,
    RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["SQSQueueDead", "Arn"] }, maxReceiveCount: 5 },
  });
});

test("a resource type without a translation is refused by name", () => {
  const declared = { type: "aws:ec2/vpc:Vpc", name: "net", inputs: {}, outputs: {} };
  expect(() => templatesOf(new Resources([declared]), "eu-central-1")).toThrow("aws:ec2/vpc:Vpc");
});
