// The runtimes at AgentCore, each with the program of a provider that the deployment put into a bucket.
import { isDeepStrictEqual } from "node:util";
import {
  type BedrockAgentCoreControlClient,
  CreateAgentRuntimeCommand,
  DeleteAgentRuntimeCommand,
  GetAgentRuntimeCommand,
  paginateListAgentRuntimes,
  UpdateAgentRuntimeCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { AgentRuntimes, RuntimeDesign, RuntimeState } from "../../domain/marketplace/agent-runtimes.ts";
import { agentCoreClient, refusing, tagsOf, unless } from "./client.ts";

export type RuntimeOptions = {
  stack: string;
  /** The role of every runtime, which may do nothing. */
  roleArn: string;
  bucket: string;
  /** The key of each provider's program in the bucket. */
  programs: Record<string, string>;
};

/** Any other status means that AgentCore is still at work. */
const states: Record<string, RuntimeState> = {
  READY: "ready",
  CREATE_FAILED: "failed",
  UPDATE_FAILED: "unsuccessful",
  DELETE_FAILED: "unsuccessful",
  DELETING: "going",
};

export function agentRuntimes(
  options: RuntimeOptions,
  client: BedrockAgentCoreControlClient = agentCoreClient(),
): AgentRuntimes {
  const read = (arn: string) =>
    unless("ResourceNotFoundException", client.send(new GetAgentRuntimeCommand({ agentRuntimeId: idOf(arn) })));

  return {
    find(name) {
      const search = async () => {
        for await (const { agentRuntimes = [] } of paginateListAgentRuntimes({ client }, { maxResults: 100 })) {
          const found = agentRuntimes.find((one) => one.agentRuntimeName === name && one.status !== "DELETING");
          if (found) return found.agentRuntimeArn;
        }
        return undefined;
      };
      return refusing(search());
    },

    async create(design) {
      const { name: agentRuntimeName, tenantId } = design;
      const tags = tagsOf(options.stack, tenantId);
      const command = new CreateAgentRuntimeCommand({ agentRuntimeName, ...definitionOf(design, options), tags });
      const { agentRuntimeArn } = await refusing(client.send(command));
      if (agentRuntimeArn === undefined) throw new Error("CreateAgentRuntime answered without an ARN");
      return agentRuntimeArn;
    },

    async update(arn, design) {
      const wanted = definitionOf(design, options);
      const found = await read(arn);
      const isSame =
        isDeepStrictEqual(found?.environmentVariables, wanted.environmentVariables) &&
        isDeepStrictEqual(found?.agentRuntimeArtifact, wanted.agentRuntimeArtifact);
      if (isSame) return;
      await refusing(client.send(new UpdateAgentRuntimeCommand({ agentRuntimeId: idOf(arn), ...wanted })));
    },

    async status(arn) {
      const found = await read(arn);
      return found && (states[found.status ?? ""] ?? "pending");
    },

    async remove(arn) {
      const command = new DeleteAgentRuntimeCommand({ agentRuntimeId: idOf(arn) });
      // AgentCore answers ConflictException while the runtime is being deleted already.
      await unless("ConflictException", unless("ResourceNotFoundException", client.send(command)));
    },
  };
}

/** The whole definition of a runtime, since an update replaces all of it. */
function definitionOf({ providerId, environment }: RuntimeDesign, { roleArn, bucket, programs }: RuntimeOptions) {
  const prefix = programs[providerId];
  if (prefix === undefined) throw new Error(`the stack has no program of ${providerId}`);
  return {
    agentRuntimeArtifact: {
      codeConfiguration: { code: { s3: { bucket, prefix } }, runtime: "NODE_22" as const, entryPoint: ["main.js"] },
    },
    roleArn,
    networkConfiguration: { networkMode: "PUBLIC" as const },
    protocolConfiguration: { serverProtocol: "MCP" as const },
    environmentVariables: environment,
  };
}

function idOf(arn: string): string {
  return arn.slice(arn.lastIndexOf("/") + 1);
}
