// Who may do what at AgentCore: the rights of the function that alone changes things there, and those of the roles that it passes on.
import * as pulumi from "@pulumi/pulumi";
import { runtimePrefix, secretsPrefix, stackMark } from "../../domain/mcp/names.ts";
import { Link, type Statement } from "../link.ts";

type Place = {
  stack: string;
  account: pulumi.Input<string>;
  region: pulumi.Input<string>;
};

function arnsOf({ stack, account, region }: Place) {
  const arn = (resource: string) => pulumi.interpolate`arn:aws:bedrock-agentcore:${region}:${account}:${resource}`;
  const mark = stackMark(stack);
  return {
    /** Every gateway: only a later change of one can be bound to its name. */
    anyGateway: arn("gateway/*"),
    gateways: arn(`gateway/${mark}-*`),
    /** Every runtime: only a later change of one can be bound to its name. */
    anyRuntime: arn("runtime/*"),
    runtimes: arn(`runtime/${runtimePrefix(stack)}*`),
    workloads: [
      arn("workload-identity-directory/default"),
      arn(`workload-identity-directory/default/workload-identity/${mark}*`),
    ],
    /** Workload identities of the runtimes. AgentCore makes and removes them with the runtimes. */
    runtimeWorkloads: arn(`workload-identity-directory/default/workload-identity/${runtimePrefix(stack)}*`),
    anyWorkload: arn("workload-identity-directory/default/workload-identity/*"),
    anyApiKeyProvider: arn("token-vault/default/apikeycredentialprovider/*"),
    vault: arn("token-vault/default"),
    apiKeyProviders: arn(`token-vault/default/apikeycredentialprovider/${mark}*`),
  };
}

const actions = (service: string, names: string) => names.split(" ").map((name) => `${service}:${name}`);

/** The stack's name, with the right to make gateways and to change those whose name has the stack's mark. */
export function gatewaysLink(place: Place): Link {
  const { gateways, workloads, anyGateway, vault, apiKeyProviders, ...others } = arnsOf(place);
  const { anyRuntime, runtimes, runtimeWorkloads, anyApiKeyProvider } = others;
  const tagged = { StringEquals: { "aws:RequestTag/archway_stack": place.stack } };
  const change = "GetGateway UpdateGateway DeleteGateway CreateGatewayRateLimit";
  const targets = "ListGatewayTargets GetGatewayTarget CreateGatewayTarget UpdateGatewayTarget DeleteGatewayTarget";
  const providers = "CreateApiKeyCredentialProvider GetApiKeyCredentialProvider DeleteApiKeyCredentialProvider";
  return new Link(place.stack, [
    {
      actions: actions("bedrock-agentcore", "CreateGateway ListGateways CreateAgentRuntime ListAgentRuntimes"),
      resources: ["*"],
    },
    { actions: ["bedrock-agentcore:TagResource"], resources: [anyGateway, anyRuntime], conditions: tagged },
    {
      actions: actions("bedrock-agentcore", "GetAgentRuntime UpdateAgentRuntime DeleteAgentRuntime"),
      resources: [runtimes],
    },
    { actions: actions("bedrock-agentcore", `${change} ${targets}`), resources: [gateways] },
    { actions: actions("bedrock-agentcore", providers), resources: [vault, apiKeyProviders] },
    { actions: ["bedrock-agentcore:TagResource"], resources: [apiKeyProviders], conditions: tagged },
    // All stacks of the account share a quota, so that all are counted.
    { actions: actions("bedrock-agentcore", "ListApiKeyCredentialProviders"), resources: [vault, anyApiKeyProvider] },
    // A gateway and a runtime have an identity of their own, made and removed with it in the caller's name.
    {
      actions: actions("bedrock-agentcore", "CreateWorkloadIdentity GetWorkloadIdentity DeleteWorkloadIdentity"),
      resources: [...workloads, runtimeWorkloads],
    },
  ]);
}

/** A role's ARN, with the right to hand it to AgentCore and to no other service. */
export function passedRoleLink(roleArn: pulumi.Input<string>): Link {
  const conditions = { StringEquals: { "iam:PassedToService": "bedrock-agentcore.amazonaws.com" } };
  return new Link(roleArn, [{ actions: ["iam:PassRole"], resources: [roleArn], conditions }]);
}

/** The user pool's id, with the right to make, change and remove app clients and their secrets. */
export function appClientsLink(userPool: { id: pulumi.Input<string>; arn: pulumi.Input<string> }): Link {
  const clients = "CreateUserPoolClient UpdateUserPoolClient DeleteUserPoolClient ListUserPoolClients";
  const secrets = "AddUserPoolClientSecret DeleteUserPoolClientSecret ListUserPoolClientSecrets";
  return new Link(userPool.id, [
    { actions: actions("cognito-idp", `${clients} ${secrets}`), resources: [userPool.arn] },
  ]);
}

function secretArns({ stack, account, region }: Place) {
  return pulumi.interpolate`arn:aws:secretsmanager:${region}:${account}:secret:${secretsPrefix(stack)}*`;
}

/** The prefix of the tenants' secrets, with the right to keep them. */
export function tenantSecretsLink(place: Place): Link {
  const names = "CreateSecret GetSecretValue PutSecretValue DeleteSecret TagResource";
  return new Link(secretsPrefix(place.stack), [
    { actions: actions("secretsmanager", names), resources: [secretArns(place)] },
  ]);
}

/** The right to read the tenants' secrets. Their keys let a role decrypt by a statement of their own (key-rights.ts). */
export function readSecrets(place: Place): Statement {
  return { actions: ["secretsmanager:GetSecretValue"], resources: [secretArns(place)] };
}

/** The right to call the tenants' runtimes. */
export function callRuntimes(place: Place): Statement {
  return { actions: ["bedrock-agentcore:InvokeAgentRuntime"], resources: [arnsOf(place).runtimes] };
}

/**
 * What a gateway does in its role's name: it gets its own identity's token, by that the credential for a target, reads the secret behind it,
 * and calls tenants' runtimes. The resources of GetResourceApiKey are all four (service authorization reference; a deployment failed without
 * the last).
 */
export function gatewayRights(place: Place): Statement[] {
  const { workloads, vault, apiKeyProviders } = arnsOf(place);
  return [
    { actions: ["bedrock-agentcore:GetWorkloadAccessToken"], resources: workloads },
    { actions: ["bedrock-agentcore:GetResourceApiKey"], resources: [apiKeyProviders, vault, ...workloads] },
    callRuntimes(place),
    readSecrets(place),
  ];
}
