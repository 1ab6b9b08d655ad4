// The operations on agent runtimes and their endpoints. AWS creates with PUT and lists with POST here.
import * as z from "zod";
import type { AwsRequest } from "../../aws/service.ts";
import { endpointArn, runtimeArn } from "../arns.ts";
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
import { invalid, notFound } from "../refusals.ts";
import { type RuntimeDefinition, runtimeDefinitionOf, runtimeMembers } from "./runtime-input.ts";
import { defaultEndpoint, describeEndpoint, describeRuntime, endpointOf, type Runtime, versionOf } from "./runtimes.ts";

const oneRuntime = { agentRuntimeId: z.string().min(1) };
const runtimeName = z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,47}$/);
const oneEndpoint = { ...oneRuntime, endpointName: runtimeName };
const version = z
  .string()
  .regex(/^[1-9]\d{0,4}$/)
  .optional();

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

const endpointRights = (
  { agentRuntimeId: id, endpointName }: { agentRuntimeId: string; endpointName: string },
  call: AgentCoreCall,
) => [rightOnRuntime(call, id), right(call, endpointArn(call.region, id, endpointName))];

function checkVersion({ versions }: Runtime, wanted: string | undefined): void {
  if (wanted !== undefined && Number(wanted) > versions.length) throw notFound(`Version ${wanted} was not found`);
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
    z.strictObject({ ...oneRuntime, version }),
    ({ agentRuntimeId }, call) => [rightOnRuntime(call, agentRuntimeId)],
    ({ agentRuntimeId, version }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      checkVersion(runtime, version);
      return describeRuntime(runtime, version);
    },
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

  ListAgentRuntimeVersions: operation(
    "POST /runtimes/{agentRuntimeId}/versions/",
    200,
    z.strictObject({ ...oneRuntime, ...page }),
    () => [{ action: "bedrock-agentcore:ListAgentRuntimeVersions", resource: "*" }],
    ({ agentRuntimeId, ...input }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      const { page: found, ...next } = pageOf(Object.keys(runtime.versions), input);
      return { agentRuntimes: found.map((index) => summaryOf(runtime, String(Number(index) + 1))), ...next };
    },
  ),

  CreateAgentRuntimeEndpoint: operation(
    "PUT /runtimes/{agentRuntimeId}/runtime-endpoints/",
    202,
    z.strictObject({
      ...oneRuntime,
      name: runtimeName,
      agentRuntimeVersion: version,
      description: z.string().min(1).max(256).optional(),
      clientToken,
      tags,
    }),
    ({ agentRuntimeId, tags }, call) => [{ ...rightOnRuntime(call, agentRuntimeId), context: requestTags(tags) }],
    ({ agentRuntimeId, name, agentRuntimeVersion, description }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      checkVersion(runtime, agentRuntimeVersion);
      const pinned = agentRuntimeVersion ?? String(runtime.versions.length);
      return describeEndpoint(runtime, call.runtimes.addEndpoint(runtime, { name, version: pinned, description }));
    },
  ),

  GetAgentRuntimeEndpoint: operation(
    "GET /runtimes/{agentRuntimeId}/runtime-endpoints/{endpointName}/",
    200,
    z.strictObject(oneEndpoint),
    endpointRights,
    ({ agentRuntimeId, endpointName }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      return describeEndpoint(runtime, endpointOf(runtime, endpointName));
    },
  ),

  UpdateAgentRuntimeEndpoint: operation(
    "PUT /runtimes/{agentRuntimeId}/runtime-endpoints/{endpointName}/",
    202,
    z.strictObject({
      ...oneEndpoint,
      agentRuntimeVersion: version,
      description: z.string().min(1).max(256).optional(),
      clientToken,
    }),
    endpointRights,
    ({ agentRuntimeId, endpointName, agentRuntimeVersion, description }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      checkVersion(runtime, agentRuntimeVersion);
      const endpoint = endpointOf(runtime, endpointName);
      const wanted = { ...endpoint, description, version: agentRuntimeVersion ?? versionOf(runtime, endpoint) };
      return describeEndpoint(runtime, call.runtimes.changeEndpoint(runtime, wanted, "UPDATING"));
    },
  ),

  DeleteAgentRuntimeEndpoint: operation(
    "DELETE /runtimes/{agentRuntimeId}/runtime-endpoints/{endpointName}/",
    202,
    z.strictObject({ ...oneEndpoint, clientToken }),
    endpointRights,
    ({ agentRuntimeId, endpointName }, call) => {
      if (endpointName === defaultEndpoint) throw invalid("endpointName: the endpoint DEFAULT stays");
      const runtime = runtimeOf(call, agentRuntimeId);
      const { status } = call.runtimes.changeEndpoint(runtime, endpointOf(runtime, endpointName), "DELETING");
      return { agentRuntimeId, endpointName, status };
    },
  ),

  ListAgentRuntimeEndpoints: operation(
    "POST /runtimes/{agentRuntimeId}/runtime-endpoints/",
    200,
    z.strictObject({ ...oneRuntime, ...page }),
    () => [{ action: "bedrock-agentcore:ListAgentRuntimeEndpoints", resource: "*" }],
    ({ agentRuntimeId, ...input }, call) => {
      const runtime = runtimeOf(call, agentRuntimeId);
      const { page: found, ...next } = pageOf(runtime.endpoints, input);
      return { runtimeEndpoints: found.map((endpoint) => describeEndpoint(runtime, endpoint)), ...next };
    },
  ),
};

/** The runtime and the endpoint that an invocation names. */
export function invocationOf({ path, query }: Pick<AwsRequest, "path" | "query">): [arn: string, qualifier: string] {
  return [decodeURIComponent(path.split("/")[2] ?? ""), query.get("qualifier") ?? defaultEndpoint];
}

function summaryOf(runtime: Runtime, version?: string) {
  const { agentRuntimeArn, agentRuntimeId, agentRuntimeVersion, agentRuntimeName, lastUpdatedAt, status, description } =
    describeRuntime(runtime, version);
  return { agentRuntimeArn, agentRuntimeId, agentRuntimeVersion, agentRuntimeName, lastUpdatedAt, status, description };
}
