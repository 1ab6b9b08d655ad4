import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { LambdaFunction } from "../../components/lambda-function.ts";
import { Link, tableLink } from "../../components/link.ts";
import { PlatformTable } from "../../components/tenant-platform/platform-table.ts";
import { defineFunction, integer } from "../../handlers/contract.ts";
import { declarationsOf, declaredProgram } from "../support/program/pulumi-program.ts";

const contract = defineFunction({
  entry: "handlers/triggers/lambda.ts",
  timeoutSeconds: 7,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string(),
    QUEUE_URL: z.string(),
    ISSUER: z.string(),
    RETRIES: integer.default(3),
  },
});

const queueArn = "arn:aws:sqs:eu-central-1:000000000000:usage";

const declared = await declarationsOf(() => {
  const { table } = new PlatformTable("main");
  new LambdaFunction("worker", {
    contract,
    environment: {
      TABLE_NAME: tableLink(table, { get: ["tenant"] }),
      QUEUE_URL: new Link("https://sqs.example/usage", [{ actions: ["sqs:SendMessage"], resources: [queueArn] }]),
      ISSUER: pulumi.output("https://issuer.example"),
    },
  });
});

const lambda = declared.get("aws:lambda/function:Function", "worker");
const logGroupArn = "arn:aws:logs:eu-central-1:000000000000:log-group:worker-local";

test("a function's environment contains the plain values and the links' values, and nothing for defaults", () => {
  expect(lambda.inputs.environment.variables).toEqual({
    TABLE_NAME: "main-local",
    QUEUE_URL: "https://sqs.example/usage",
    ISSUER: "https://issuer.example",
  });
});

test("a function's role may do what its links say and write to its own log, and nothing else", () => {
  const policies = declared.ofType("aws:iam/rolePolicy:RolePolicy");
  expect(policies.map(({ inputs }) => inputs.role)).toEqual(["worker-local"]);
  expect(JSON.parse(policies[0]?.inputs.policy).Statement).toEqual([
    { Effect: "Allow", Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: [`${logGroupArn}:*`] },
    {
      Effect: "Allow",
      Action: ["dynamodb:GetItem"],
      Resource: ["arn:aws:dynamodb:eu-central-1:000000000000:table/main-local"],
      Condition: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["TENANT#*"] },
        Null: { "dynamodb:LeadingKeys": "false" },
      },
    },
    { Effect: "Allow", Action: ["sqs:SendMessage"], Resource: [queueArn] },
  ]);
  expect(declared.ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment")).toEqual([]);
  const role = declared.get("aws:iam/role:Role", "worker");
  expect(Object.keys(role.inputs)).toEqual(["assumeRolePolicy"]);
});

test("only Lambda may assume a function's role", () => {
  const role = declared.get("aws:iam/role:Role", "worker");
  expect(JSON.parse(role.inputs.assumeRolePolicy).Statement).toEqual([
    { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
  ]);
  expect(lambda.inputs.role).toBe("arn:aws:iam::000000000000:role/worker-local");
});

test("a function's timeout and memory follow from its contract, and its code is modules for Node 24 on arm64", () => {
  expect(lambda.inputs).toMatchObject({
    timeout: 7,
    memorySize: 512,
    runtime: "nodejs24.x",
    architectures: ["arm64"],
    handler: "index.handler",
  });
  expect(Object.keys(lambda.inputs.code)).toContain("index.mjs");
});

test("a function's log group exists before the first line, keeps lines for a month, and uses JSON", () => {
  expect(declared.get("aws:cloudwatch/logGroup:LogGroup", "worker").inputs).toMatchObject({ retentionInDays: 30 });
  expect(lambda.inputs.loggingConfig).toEqual({ logFormat: "JSON", logGroup: "worker-local", systemLogLevel: "WARN" });
});

test("a function is updated only after its role has the rights that the new code needs", () => {
  const waitsFor = lambda.options.dependsOn as pulumi.Resource[];
  const policyUrn = "urn:pulumi:test::archway::archway:index:LambdaFunction$aws:iam/rolePolicy:RolePolicy::worker";
  return expect(Promise.all(waitsFor.map(({ urn }) => new Promise((resolve) => urn.apply(resolve))))).resolves.toEqual([
    policyUrn,
  ]);
});

test("all resources of a function are its children", () => {
  const children = declared.all.filter(
    ({ name, type }) => name === "worker" && type !== "archway:index:LambdaFunction",
  );
  expect(children.map(({ parent }) => parent?.name)).toEqual(["worker", "worker", "worker", "worker"]);
});

test("each function of the program has the name of its handler's folder", async () => {
  const program = await declaredProgram();
  const folders = readdirSync("handlers", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const handlers = folders.map(({ name }) => name).filter((name) => name !== "middleware");
  const functions = program.ofType("aws:lambda/function:Function").map(({ name }) => name);
  expect(functions.toSorted()).toEqual(handlers.toSorted());
});
