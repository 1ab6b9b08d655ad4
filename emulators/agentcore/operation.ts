// What an operation of the emulated AgentCore works on, and the rights that several of them need.
import type * as z from "zod";
import { type RestOperation, restOperation } from "../aws/rest-json-service.ts";
import type { Authorization, Principal } from "../aws/service.ts";
import type { Iam } from "../iam/iam.ts";
import type { ApiKeyProviders } from "./api-key-providers.ts";
import { directoryArn, identityArn } from "./arns.ts";
import type { Gateways } from "./gateway/gateways.ts";
import type { Targets } from "./gateway/targets.ts";
import type { Sessions } from "./interpreter/sessions.ts";
import { invalid } from "./refusals.ts";
import type { Runtimes } from "./runtime/runtimes.ts";
import type { Settings } from "./settings.ts";

export type AgentCoreCall = {
  operation: string;
  region: string;
  principal: Principal | undefined;
  now: number;
  settings: Settings;
  iam: Pick<Iam, "decideTrust">;
  gateways: Gateways;
  targets: Targets;
  providers: ApiKeyProviders;
  runtimes: Runtimes;
  sessions: Sessions;
};

export type AgentCoreOperation = RestOperation<AgentCoreCall>;

export function operation<Input extends z.ZodType>(
  route: string,
  status: number,
  input: Input,
  rights: (input: z.output<Input>, call: AgentCoreCall) => Authorization[],
  run: (input: z.output<Input>, call: AgentCoreCall) => unknown,
): AgentCoreOperation {
  return restOperation(route, status, input, rights, run);
}

/** The right of the operation's own name, on one resource. */
export function right({ operation }: AgentCoreCall, resource: string, tags?: Record<string, string>): Authorization {
  const context = Object.entries(tags ?? {}).map(([name, value]) => [`aws:ResourceTag/${name}`, value]);
  return { action: `bedrock-agentcore:${operation}`, resource, context: Object.fromEntries(context) };
}

/** The condition keys about the tags that a call sets. */
export function requestTags(tags: Record<string, string> = {}): NonNullable<Authorization["context"]> {
  const names = Object.keys(tags);
  if (names.length === 0) return {};
  const values = names.map((name) => [`aws:RequestTag/${name}`, tags[name] ?? ""]);
  return { ...Object.fromEntries(values), "aws:TagKeys": names };
}

/** Tags at creation need the right to tag, too (docs.aws.amazon.com/IAM/latest/UserGuide/access_tags.html). */
export function tagRight(resource: string, tags: Record<string, string> | undefined): Authorization[] {
  if (!tags || Object.keys(tags).length === 0) return [];
  return [{ action: "bedrock-agentcore:TagResource", resource, context: requestTags(tags) }];
}

const service = "bedrock-agentcore.amazonaws.com";

/** The right to give AgentCore a role (docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html). */
export function passRole(roleArn: string): Authorization {
  return { action: "iam:PassRole", resource: roleArn, context: { "iam:PassedToService": service } };
}

/**
 * Each gateway and each runtime has a workload identity, which the caller's rights make and remove
 * (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-prerequisites-permissions.html).
 */
export function identityRights(verb: "Create" | "Delete", region: string, name: string): Authorization[] {
  const action = `bedrock-agentcore:${verb}WorkloadIdentity`;
  return [directoryArn(region), identityArn(region, name)].map((resource) => ({ action, resource }));
}

/** @throws AwsError ValidationException for a role that AgentCore may not assume. */
export async function checkTrust({ iam, region }: AgentCoreCall, roleArn: string, sourceArn: string): Promise<void> {
  const source = { "aws:SourceArn": sourceArn, "aws:SourceAccount": sourceArn.split(":")[4] ?? "" };
  const { allowed } = await iam.decideTrust(roleArn, service, "sts:AssumeRole", source);
  if (!allowed) throw invalid(`The role cannot be assumed by ${service} in ${region}. Check its trust policy.`);
}
