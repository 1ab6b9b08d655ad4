// How the resource types that the program declares are called and shaped in CloudFormation. What no shape takes apart is passed on,
// so an input that nobody thought of is a finding of cfn-lint, not a gap.
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";

// biome-ignore lint/suspicious/noExplicitAny: each resource type has its own shape
export type Values = Record<string, any>;

export type Translation = {
  type: string;
  /** Names, at any depth, that are more than the input's with a capital. */
  names?: Record<string, string>;
  /** Inputs in CloudFormation's shape, still with Pulumi's names. What is `Verbatim` keeps the names of its members. */
  shape?: (inputs: Values, declared: DeclaredResource, resources: Resources) => Values;
  /** What others refer to: the ARN by this attribute, or the id by `Ref`. */
  arn?: string;
  id?: "Ref";
};

/** Documents and maps whose keys are data. */
export class Verbatim {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

const document = (json: string) => new Verbatim(JSON.parse(json));
const keySchema = (hashKey: string, rangeKey: string) => [
  { attributeName: hashKey, keyType: "HASH" },
  { attributeName: rangeKey, keyType: "RANGE" },
];

/** By Pulumi's type token. */
export const translations: Record<string, Translation> = {
  "aws:acm/certificate:Certificate": {
    type: "AWS::CertificateManager::Certificate",
    shape: ({ region: _region, ...inputs }) => inputs,
  },
  "aws:apigatewayv2/api:Api": {
    type: "AWS::ApiGatewayV2::Api",
    id: "Ref",
    shape: (inputs, { outputs }) => ({ ...inputs, name: outputs.name }),
  },
  "aws:apigatewayv2/apiMapping:ApiMapping": { type: "AWS::ApiGatewayV2::ApiMapping" },
  "aws:apigatewayv2/domainName:DomainName": {
    type: "AWS::ApiGatewayV2::DomainName",
    shape: ({ domainNameConfiguration, ...inputs }) => ({
      ...inputs,
      domainNameConfigurations: [domainNameConfiguration],
    }),
  },
  "aws:apigatewayv2/integration:Integration": { type: "AWS::ApiGatewayV2::Integration" },
  "aws:apigatewayv2/route:Route": { type: "AWS::ApiGatewayV2::Route" },
  "aws:apigatewayv2/stage:Stage": { type: "AWS::ApiGatewayV2::Stage", names: { name: "StageName" } },
  "aws:bedrock/agentcoreCodeInterpreter:AgentcoreCodeInterpreter": {
    type: "AWS::BedrockAgentCore::CodeInterpreterCustom",
    id: "Ref",
    arn: "CodeInterpreterArn",
  },
  "aws:cloudfront/distribution:Distribution": {
    type: "AWS::CloudFront::Distribution",
    names: {
      originId: "Id",
      customHeaders: "OriginCustomHeaders",
      name: "HeaderName",
      value: "HeaderValue",
      httpPort: "HTTPPort",
      httpsPort: "HTTPSPort",
      originSslProtocols: "OriginSSLProtocols",
      functionArn: "FunctionARN",
      errorCachingMinTtl: "ErrorCachingMinTTL",
      isIpv6Enabled: "IPV6Enabled",
    },
    shape: (inputs) => ({ distributionConfig: inputs }),
  },
  "aws:cloudfront/originAccessControl:OriginAccessControl": {
    type: "AWS::CloudFront::OriginAccessControl",
    id: "Ref",
    shape: (inputs, { name }) => ({ originAccessControlConfig: { name, ...inputs } }),
  },
  "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy": {
    type: "AWS::CloudFront::ResponseHeadersPolicy",
    id: "Ref",
    shape: (inputs, { name }) => ({ responseHeadersPolicyConfig: { name, ...inputs } }),
  },
  "aws:cloudfront/function:Function": {
    type: "AWS::CloudFront::Function",
    arn: "FunctionARN",
    shape: ({ runtime, code, publish }, { name, outputs }) => ({
      name: outputs.name,
      functionCode: code,
      autoPublish: publish,
      functionConfig: { runtime, comment: name },
    }),
  },
  "aws:cloudwatch/eventRule:EventRule": {
    type: "AWS::Events::Rule",
    arn: "Arn",
    shape: (inputs, { outputs }, resources) => ({
      ...inputs,
      name: outputs.name,
      targets: resources
        .ofType("aws:cloudwatch/eventTarget:EventTarget")
        .filter((target) => target.inputs.rule === outputs.name)
        .map((target) => {
          const { rule: _rule, ...inputs } = target.inputs;
          return { ...inputs, id: target.outputs.targetId };
        }),
    }),
  },
  "aws:cloudwatch/logGroup:LogGroup": {
    type: "AWS::Logs::LogGroup",
    shape: (inputs, { outputs }) => ({ ...inputs, logGroupName: outputs.name }),
  },
  "aws:cloudwatch/logMetricFilter:LogMetricFilter": {
    type: "AWS::Logs::MetricFilter",
    shape: ({ logGroupName, pattern, metricTransformation: { name, namespace, value } }, { outputs }) => ({
      ...{ filterName: outputs.name, logGroupName, filterPattern: pattern },
      metricTransformations: [{ metricName: name, metricNamespace: namespace, metricValue: value }],
    }),
  },
  "aws:cloudwatch/metricAlarm:MetricAlarm": {
    type: "AWS::CloudWatch::Alarm",
    shape: ({ dimensions, ...inputs }, { outputs }) => ({
      ...inputs,
      alarmName: outputs.name,
      dimensions: Object.entries(dimensions ?? {}).map(([name, value]) => ({ name, value })),
    }),
  },
  "aws:cognito/identityProvider:IdentityProvider": {
    type: "AWS::Cognito::UserPoolIdentityProvider",
    shape: ({ providerDetails, attributeMapping, ...inputs }) => ({
      ...inputs,
      providerDetails: new Verbatim(providerDetails),
      attributeMapping: new Verbatim(attributeMapping),
    }),
  },
  "aws:cognito/managedLoginBranding:ManagedLoginBranding": { type: "AWS::Cognito::ManagedLoginBranding" },
  "aws:cognito/resourceServer:ResourceServer": { type: "AWS::Cognito::UserPoolResourceServer" },
  "aws:cognito/userPool:UserPool": {
    type: "AWS::Cognito::UserPool",
    arn: "Arn",
    id: "Ref",
    names: {
      fromEmailAddress: "From",
      schemas: "Schema",
      attributesRequireVerificationBeforeUpdates: "AttributesRequireVerificationBeforeUpdate",
    },
    shape: ({ passwordPolicy, softwareTokenMfaConfiguration: { enabled, ...factor }, ...inputs }, { outputs }) => ({
      ...inputs,
      ...factor,
      enabledMfas: enabled ? ["SOFTWARE_TOKEN_MFA"] : [],
      userPoolName: outputs.name,
      policies: { passwordPolicy },
    }),
  },
  "aws:cognito/userPoolClient:UserPoolClient": {
    type: "AWS::Cognito::UserPoolClient",
    id: "Ref",
    names: {
      allowedOauthFlows: "AllowedOAuthFlows",
      allowedOauthFlowsUserPoolClient: "AllowedOAuthFlowsUserPoolClient",
      allowedOauthScopes: "AllowedOAuthScopes",
      callbackUrls: "CallbackURLs",
      logoutUrls: "LogoutURLs",
    },
    shape: (inputs, { outputs }) => ({ ...inputs, clientName: outputs.name }),
  },
  "aws:cognito/userPoolDomain:UserPoolDomain": {
    type: "AWS::Cognito::UserPoolDomain",
    // A prefix of the user pool's own domain has no certificate.
    shape: ({ certificateArn, ...inputs }) => ({
      ...inputs,
      ...(certificateArn && { customDomainConfig: { certificateArn } }),
    }),
  },
  "aws:dynamodb/table:Table": {
    type: "AWS::DynamoDB::Table",
    arn: "Arn",
    names: { serverSideEncryption: "SSESpecification", enabled: "SSEEnabled" },
    shape: (
      { attributes, hashKey, rangeKey, globalSecondaryIndexes, ttl, pointInTimeRecovery, ...inputs },
      declared,
    ) => ({
      ...inputs,
      tableName: declared.outputs.name,
      attributeDefinitions: attributes.map(({ name, type }: Values) => ({ attributeName: name, attributeType: type })),
      keySchema: keySchema(hashKey, rangeKey),
      globalSecondaryIndexes: globalSecondaryIndexes.map(
        ({ name, hashKey, rangeKey, projectionType, ...index }: Values) => ({
          ...index,
          indexName: name,
          keySchema: keySchema(hashKey, rangeKey),
          projection: { projectionType },
        }),
      ),
      timeToLiveSpecification: new Verbatim({ AttributeName: ttl.attributeName, Enabled: ttl.enabled }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery.enabled },
    }),
  },
  "aws:iam/policy:Policy": {
    type: "AWS::IAM::ManagedPolicy",
    shape: ({ policy, ...inputs }, { outputs }, resources) => ({
      ...inputs,
      managedPolicyName: outputs.name,
      policyDocument: document(policy),
      roles: resources
        .ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
        .filter((attachment) => attachment.inputs.policyArn === outputs.arn)
        .map((attachment) => attachment.inputs.role),
    }),
  },
  "aws:iam/role:Role": {
    type: "AWS::IAM::Role",
    arn: "Arn",
    shape: ({ assumeRolePolicy, ...inputs }, { outputs }) => ({
      ...inputs,
      roleName: outputs.name,
      assumeRolePolicyDocument: document(assumeRolePolicy),
    }),
  },
  "aws:iam/rolePolicy:RolePolicy": {
    type: "AWS::IAM::RolePolicy",
    shape: ({ role, policy, ...inputs }, { outputs }) => ({
      ...inputs,
      roleName: role,
      policyName: outputs.name,
      policyDocument: document(policy),
    }),
  },
  "aws:lambda/eventSourceMapping:EventSourceMapping": { type: "AWS::Lambda::EventSourceMapping" },
  "aws:lambda/function:Function": {
    type: "AWS::Lambda::Function",
    arn: "Arn",
    shape: ({ code: _code, environment, ...inputs }, { name, outputs }) => ({
      ...inputs,
      functionName: outputs.name,
      // The provider uploads the archive itself.
      code: { s3Bucket: "archive", s3Key: name },
      environment: { variables: new Verbatim(environment.variables) },
    }),
  },
  "aws:lambda/functionUrl:FunctionUrl": {
    type: "AWS::Lambda::Url",
    names: { authorizationType: "AuthType", functionName: "TargetFunctionArn" },
  },
  "aws:lambda/permission:Permission": { type: "AWS::Lambda::Permission", names: { function: "FunctionName" } },
  "aws:sns/topic:Topic": {
    type: "AWS::SNS::Topic",
    arn: "TopicArn",
    shape: (_inputs, { outputs }) => ({ topicName: outputs.name }),
  },
  "aws:sns/topicSubscription:TopicSubscription": { type: "AWS::SNS::Subscription", names: { topic: "TopicArn" } },
  "aws:sqs/queuePolicy:QueuePolicy": {
    type: "AWS::SQS::QueuePolicy",
    shape: ({ queueUrl, policy }) => ({ queues: [queueUrl], policyDocument: document(policy) }),
  },
  "aws:s3/bucket:Bucket": {
    type: "AWS::S3::Bucket",
    id: "Ref",
    arn: "Arn",
    // Pulumi empties the bucket itself before it deletes it.
    shape: ({ forceDestroy: _forceDestroy, ...inputs }) => inputs,
  },
  "aws:s3/bucketPolicy:BucketPolicy": {
    type: "AWS::S3::BucketPolicy",
    shape: ({ bucket, policy }) => ({ bucket, policyDocument: document(policy) }),
  },
  "aws:sqs/queue:Queue": {
    type: "AWS::SQS::Queue",
    arn: "Arn",
    id: "Ref",
    names: {
      visibilityTimeoutSeconds: "VisibilityTimeout",
      messageRetentionSeconds: "MessageRetentionPeriod",
      receiveWaitTimeSeconds: "ReceiveMessageWaitTimeSeconds",
      maxMessageSize: "MaximumMessageSize",
      // The policy's own names.
      deadLetterTargetArn: "deadLetterTargetArn",
      maxReceiveCount: "maxReceiveCount",
    },
    shape: ({ redrivePolicy, ...inputs }, { outputs }) => ({
      ...inputs,
      queueName: outputs.name,
      ...(redrivePolicy && { redrivePolicy: JSON.parse(redrivePolicy) }),
    }),
  },
};
