// Errors planted in the evaluated program, each with a piece of the finding that it must lead to: who finds them can be believed.
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import type { Statement } from "./rights.ts";

type Planted = { error: string; plant: (program: Resources) => void; finding: string };

export const planted: Planted[] = [
  {
    error: "a runtime that Lambda has not",
    plant: (program) => set(program, "aws:lambda/function:Function", { runtime: "nodejs99.x" }),
    finding: "Properties/Runtime: 'nodejs99.x' is not one of",
  },
  {
    error: "a function's timeout over 900 seconds",
    plant: (program) => set(program, "aws:lambda/function:Function", { timeout: 901 }),
    finding: "Properties/Timeout: 901 is greater than the maximum of 900",
  },
  {
    error: "a bucket's ARN as a role",
    plant: (program) => set(program, "aws:lambda/function:Function", { role: "arn:aws:s3:::archive" }),
    finding: "Properties/Role: 'arn:aws:s3:::archive' ",
  },
  {
    error: "a table's key that is no attribute",
    plant: (program) => set(program, "aws:dynamodb/table:Table", { hashKey: "tenant" }),
    finding: "KeySchemas: ['gsi1_pk', 'gsi1_sk', 'gsi2_pk', 'gsi2_sk', 'sk', 'tenant'] must match",
  },
  {
    error: "an input that user pool clients do not have",
    plant: (program) => set(program, "aws:cognito/userPoolClient:UserPoolClient", { callbackUrl: "http://localhost" }),
    finding: "Properties/CallbackUrl: Additional properties are not allowed",
  },
  {
    error: "an identity provider's name with an underscore",
    plant: (program) => set(program, "aws:cognito/identityProvider:IdentityProvider", { providerName: "my_google" }),
    finding: "Properties/ProviderName",
  },
  {
    error: "a kind of identity provider that Cognito has not",
    plant: (program) => set(program, "aws:cognito/identityProvider:IdentityProvider", { providerType: "GitHub" }),
    finding: "Properties/ProviderType",
  },
  {
    error: "a grace period over Cognito's minute",
    plant: (program) =>
      set(program, "aws:cognito/userPoolClient:UserPoolClient", {
        refreshTokenRotation: { feature: "ENABLED", retryGracePeriodSeconds: 61 },
      }),
    finding: "Properties/RefreshTokenRotation/RetryGracePeriodSeconds: 61 is greater than the maximum of 60",
  },
  {
    error: "a way to ask for a second factor that Cognito has not",
    plant: (program) => set(program, "aws:cognito/userPool:UserPool", { mfaConfiguration: "SOMETIMES" }),
    finding: "Properties/MfaConfiguration: 'SOMETIMES' is not one of",
  },
  {
    error: "an input that a second factor does not have",
    plant: (program) =>
      set(program, "aws:cognito/userPool:UserPool", {
        softwareTokenMfaConfiguration: { enabled: true, issuer: "Archway" },
      }),
    finding: "Properties/Issuer: Additional properties are not allowed",
  },
  {
    error: "a callback of no letters",
    plant: (program) => set(program, "aws:cognito/userPoolClient:UserPoolClient", { callbackUrls: [""] }),
    finding: "Properties/CallbackURLs",
  },
  {
    error: "an explicit flow that Cognito has not",
    plant: (program) => set(program, "aws:cognito/userPoolClient:UserPoolClient", { explicitAuthFlows: ["NONE"] }),
    finding: "Properties/ExplicitAuthFlows/0",
  },
  {
    error: "a schedule in the singular",
    plant: (program) => set(program, "aws:cloudwatch/eventRule:EventRule", { scheduleExpression: "rate(15 minute)" }),
    finding: "Properties/ScheduleExpression",
  },
  {
    error: "a viewer protocol that CloudFront has not",
    plant: (program) => {
      first(program, "aws:cloudfront/distribution:Distribution").inputs.defaultCacheBehavior.viewerProtocolPolicy =
        "tls";
    },
    finding: "DefaultCacheBehavior/ViewerProtocolPolicy: 'tls' is not one of",
  },
  {
    error: "an action that DynamoDB has not",
    plant: (program) => grant(program, { Action: "dynamodb:GetItems", Resource: "*" }),
    finding: "dynamodb:GetItems is no action",
  },
  {
    error: "a condition key that DynamoDB has not",
    plant: (program) =>
      grant(program, {
        Action: "dynamodb:PutItem",
        Resource: "*",
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKey": "TENANT#*" } },
      }),
    finding: "dynamodb:PutItem has no condition key dynamodb:LeadingKey",
  },
  {
    error: "a condition key of another action",
    plant: (program) =>
      grant(program, {
        Action: "dynamodb:DescribeTable",
        Resource: "*",
        Condition: { "ForAllValues:StringEquals": { "dynamodb:Attributes": "pk" } },
      }),
    finding: "dynamodb:DescribeTable has no condition key dynamodb:Attributes",
  },
  {
    error: "one value compared with a set of keys",
    plant: (program) =>
      grant(program, {
        Action: "dynamodb:UpdateItem",
        Resource: "*",
        Condition: { StringLike: { "dynamodb:LeadingKeys": "TENANT#*" } },
      }),
    finding: "dynamodb:LeadingKeys of dynamodb:UpdateItem is ArrayOfString, which StringLike does not compare",
  },
  {
    error: "an action that Bedrock has not, in a managed policy",
    plant: (program) => grant(program, { Action: "bedrock:InvokeModels", Resource: "*" }, "aws:iam/policy:Policy"),
    finding: "bedrock:InvokeModels is no action",
  },
  {
    error: "an input that managed policies do not have",
    plant: (program) => set(program, "aws:iam/policy:Policy", { role: "proxy" }),
    finding: "Properties/Role: Additional properties are not allowed",
  },
  {
    error: "a resource of another service",
    plant: (program) =>
      grant(program, { Action: "sts:AssumeRole", Resource: "arn:aws:dynamodb:eu-central-1:0:table/a" }),
    finding: "sts:AssumeRole is not for arn:aws:dynamodb:eu-central-1:0:table/a",
  },
];

function first(program: Resources, type: string): DeclaredResource {
  const [declared] = program.ofType(type);
  if (!declared) throw new Error(`The program declares no ${type}.`);
  return declared;
}

function set(program: Resources, type: string, inputs: Record<string, unknown>): void {
  Object.assign(first(program, type).inputs, inputs);
}

function grant(program: Resources, statement: Statement, type = "aws:iam/rolePolicy:RolePolicy"): void {
  const { inputs } = first(program, type);
  const document = JSON.parse(inputs.policy);
  inputs.policy = JSON.stringify({
    ...document,
    Statement: [...document.Statement, { Effect: "Allow", ...statement }],
  });
}
