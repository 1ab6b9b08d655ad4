// The operations on agent runtimes. AWS creates with PUT and lists with POST here.
import * as z from "zod";
import type { AwsRequest } from "../../aws/service.ts";
import { runtimeArn } from "../arns.ts";
import { unknownSuffix } from "../ids.ts";
import { clientToken, page, pageOf, tags } from "../members.ts";
import {
  type AgentCoreCall,
  type AgentCoreOperation,
  checkTrust,
  identityRights,
  operation,
  passRole,
  requestTags,
  right,
  tagRight,
} from "../operation.ts";
import { notFound } from "../refusals.ts";
import { type RuntimeDefinition, runtimeDefinitionOf, runtimeMembers } from "./runtime-input.ts";
import { defaultEndpoint, describeRuntime, type Runtime } from "./runtimes.ts";

const oneRuntime = { agentRuntimeId: z.string().min(1) };
const runtimeName = z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,47}$/);

function runtimeOf({ runtimes, region }: AgentCoreCall, id: string): Runtime {
  const runtime = runtimes.get(id);
  if (runtime.region !== region) throw notFound(`Agent runtime ${id} was not found`);
  return runtime;
}

function rightOnRuntime(call: AgentCoreCall, id: string) {
  return right(call, runtimeArn(call.region, id), call.runtimes.find(id)?.tags);
}

/** AgentCore reads the code as the caller (devguide/runtime-code-deploy-common-issues.html, "Insufficient S3 permissions"). */
function readCode({ agentRuntimeArtifact }: Pick<RuntimeDefinition, "agentRuntimeArtifact">) {
  const { bucket, prefix } = agentRuntimeArtifact.codeConfiguration.code.s3;
  return { action: "s3:GetObject", resource: `arn:aws:s3:::${bucket}/${prefix}` };
}

export const runtimeOperations: Record<string, AgentCoreOperation> = {
  CreateAgentRuntime: operation(
    "PUT /runtimes/",
    202,
    z.strictObject({ agentRuntimeName: runtimeName, ...runtimeMembers, clientToken, tags }),
    (input, { region }) => {
      const unknownId = `${input.agentRuntimeName}-${unknownSuffix}`;
      return [
        { action: "bedrock-agentcore:CreateAgentRuntime", resource: "*", context: requestTags(input.tags) },
        passRole(input.roleArn),
        readCode(input),
        ...identityRights("Create", region, unknownId),
        ...tagRight(runtimeArn(region, unknownId), input.tags),
      ];
    },
    async ({ agentRuntimeName: name, clientToken, tags = {}, ...input }, call) => {
      await checkTrust(call, input.roleArn, runtimeArn(call.region, `${name}-${unknownSuffix}`));
      const { region } = call;
      return describeRuntime(call.runtimes.create({ region, name, clientToken, tags }, runtimeDefinitionOf(input)));
    },
  ),

  GetAgentRuntime: operation(
    "GET /runtimes/{agentRuntimeId}/",
    200,
    z.strictObject(oneRuntime),
    ({ agentRuntimeId }, call) => [rightOnRuntime(call, agentRuntimeId)],
    ({ agentRuntimeId }, call) => describeRuntime(runtimeOf(call, agentRuntimeId)),
  ),

  UpdateAgentRuntime: operation(
    "PUT /runtimes/{agentRuntimeId}/",
    202,
    z.strictObject({ ...oneRuntime, ...runtimeMembers, clientToken }),
    ({ agentRuntimeId, ...input }, call) => [
      rightOnRuntime(call, agentRuntimeId),
      passRole(input.roleArn),
      readCode(input),
    ],
    async ({ agentRuntimeId, clientToken: _, ...input }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      await checkTrust(call, input.roleArn, runtime.arn);
      return describeRuntime(call.runtimes.update(runtime, runtimeDefinitionOf(input)));
    },
  ),

  DeleteAgentRuntime: operation(
    "DELETE /runtimes/{agentRuntimeId}/",
    202,
    z.strictObject({ ...oneRuntime, clientToken }),
    ({ agentRuntimeId }, call) => [
      rightOnRuntime(call, agentRuntimeId),
      ...identityRights("Delete", call.region, agentRuntimeId),
    ],
    ({ agentRuntimeId }, call) => {
      const { id, status } = call.runtimes.delete(runtimeOf(call, agentRuntimeId));
      return { agentRuntimeId: id, status };
    },
  ),

  // The data plane's operation. Its body is the runtime's, and `runtime/runtime-host.ts` carries it out.
  InvokeAgentRuntime: operation(
    "POST /runtimes/{agentRuntimeArn}/invocations",
    200,
    z.looseObject({ agentRuntimeArn: z.string(), qualifier: runtimeName.default(defaultEndpoint) }),
    ({ agentRuntimeArn, qualifier }, call) => {
      const { tags } = call.runtimes.find(agentRuntimeArn.slice(agentRuntimeArn.lastIndexOf("/") + 1)) ?? {};
      const resources = [agentRuntimeArn, `${agentRuntimeArn}/runtime-endpoint/${qualifier}`];
      return resources.map((resource) => right(call, resource, tags));
    },
    () => undefined,
  ),

  ListAgentRuntimes: operation(
    "POST /runtimes/",
    200,
    z.strictObject(page),
    () => [{ action: "bedrock-agentcore:ListAgentRuntimes", resource: "*" }],
    (input, { runtimes, region }) => {
      const { page: found, ...next } = pageOf(
        runtimes.all().filter((runtime) => runtime.region === region),
        input,
      );
      return { agentRuntimes: found.map((runtime) => summaryOf(runtime)), ...next };
    },
  ),
};

/** The runtime and the endpoint that an invocation names. */
export function invocationOf({ path, query }: Pick<AwsRequest, "path" | "query">): [arn: string, qualifier: string] {
  return [decodeURIComponent(path.split("/")[2] ?? ""), query.get("qualifier") ?? defaultEndpoint];
}

function summaryOf(runtime: Runtime) {
  const { agentRuntimeArn, agentRuntimeId, agentRuntimeVersion, agentRuntimeName, lastUpdatedAt, status, description } =
    describeRuntime(runtime);
  return { agentRuntimeArn, agentRuntimeId, agentRuntimeVersion, agentRuntimeName, lastUpdatedAt, status, description };
}
