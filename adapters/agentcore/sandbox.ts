// Sessions of AgentCore's Code Interpreters, one for each run.
import {
  BedrockAgentCoreClient,
  type CodeInterpreterResult,
  InvokeCodeInterpreterCommand,
  ListCodeInterpreterSessionsCommand,
  StartCodeInterpreterSessionCommand,
  StopCodeInterpreterSessionCommand,
  type ToolArguments,
  type ToolName,
} from "@aws-sdk/client-bedrock-agentcore";
import { type Sandbox, SandboxUnavailable, type Session, type SessionFile } from "../../domain/runs/sandbox.ts";
import { agents } from "../connections.ts";

/** The interpreters by what their sessions reach. */
export type Interpreters = Record<"none" | "internet", string>;

/** Three megabytes may go either way, and a session's first call may wait for its machine. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 20_000 };

function dataPlaneClient(maxAttempts?: number): BedrockAgentCoreClient {
  const requestHandler = { ...timeouts, ...agents(), throwOnRequestTimeout: true };
  return new BedrockAgentCoreClient({ requestHandler, ...(maxAttempts !== undefined && { maxAttempts }) });
}

/** @param onceClient has no second attempt: a command that is started twice runs twice, and no token of AWS prevents that */
export function codeInterpreters(
  interpreters: Interpreters,
  client = dataPlaneClient(),
  onceClient = dataPlaneClient(1),
): Sandbox {
  return {
    async session({ runId, network, seconds }) {
      const codeInterpreterIdentifier = interpreters[network];
      // The token is the run's: an answer that was lost brings no second session.
      const command = new StartCodeInterpreterSessionCommand({
        ...{ codeInterpreterIdentifier, name: runId, clientToken: runId, sessionTimeoutSeconds: seconds },
      });
      const { sessionId } = await client.send(command).catch((cause) => {
        throw new SandboxUnavailable("no session could be started", { cause });
      });
      return sessionOf({ client, onceClient }, { codeInterpreterIdentifier, sessionId });
    },

    async stopSessionsOf({ runId, network }) {
      const codeInterpreterIdentifier = interpreters[network];
      let nextToken: string | undefined;
      do {
        const asked = { codeInterpreterIdentifier, status: "READY" as const, maxResults: 100, nextToken };
        const page = await client.send(new ListCodeInterpreterSessionsCommand(asked));
        for (const { name, sessionId } of page.items ?? []) {
          const place = { codeInterpreterIdentifier, sessionId };
          if (name === runId) await client.send(new StopCodeInterpreterSessionCommand(place));
        }
        nextToken = page.nextToken;
      } while (nextToken);
    },
  };
}

type Clients = { client: BedrockAgentCoreClient; onceClient: BedrockAgentCoreClient };
type Place = { codeInterpreterIdentifier: string; sessionId: string | undefined };

function sessionOf({ client, onceClient }: Clients, place: Place): Session {
  async function invoke(name: ToolName, given: ToolArguments, by = client): Promise<CodeInterpreterResult> {
    const { stream } = await by.send(new InvokeCodeInterpreterCommand({ ...place, name, arguments: given }));
    let found: CodeInterpreterResult | undefined;
    // An exception inside the stream is thrown by the client.
    for await (const event of stream ?? []) found ??= event.result;
    if (found) return found;
    throw new Error(`${name} has no result`);
  }

  async function statusOf(taskId: string) {
    return (await invoke("getTask", { taskId })).structuredContent?.taskStatus;
  }

  return {
    async write(files) {
      const { isError } = await invoke("writeFiles", { content: files.map(contentOf) });
      if (isError) throw new Error("the files could not be written");
    },

    async start(command) {
      const { structuredContent } = await invoke("startCommandExecution", { command }, onceClient);
      if (structuredContent?.taskId === undefined) throw new Error("the command has no task");
      return structuredContent.taskId;
    },

    isOver: async (taskId) => !["submitted", "working"].includes((await statusOf(taskId)) ?? ""),

    async end(taskId) {
      await invoke("stopTask", { taskId });
    },

    async read(path) {
      const { content, isError } = await invoke("readFiles", { paths: [path] });
      const resource = content?.find(({ type }) => type === "resource")?.resource;
      if (isError || !resource) return undefined;
      return resource.blob ? Buffer.from(resource.blob) : Buffer.from(resource.text ?? "");
    },

    async stop() {
      await client.send(new StopCodeInterpreterSessionCommand(place));
    },
  };
}

/** A file in the form that AgentCore takes: text as text, all other bytes as a blob. */
function contentOf({ path, content }: SessionFile) {
  const bytes = Buffer.from(content);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { path, text } : { path, blob: bytes };
}
