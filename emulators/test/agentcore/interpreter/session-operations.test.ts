import {
  BedrockAgentCoreClient,
  type CodeInterpreterResult,
  GetCodeInterpreterSessionCommand,
  InvokeCodeInterpreterCommand,
  ListCodeInterpreterSessionsCommand,
  StartCodeInterpreterSessionCommand,
  StopCodeInterpreterSessionCommand,
  type ToolArguments,
  type ToolName,
} from "@aws-sdk/client-bedrock-agentcore";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { AgentCore } from "../../../agentcore/agentcore.ts";
import { sandboxHere } from "../../../sandbox/level.ts";
import { Secrets } from "../../../secrets-manager/secrets.ts";
import { Store } from "../../../store.ts";
import { agentCore } from "../../support/agentcore.ts";
import { clientOptions, type RunningEndpoint, region, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../support/declared-iam.ts";
import { describeLevels } from "../../support/sandbox-levels.ts";

const id = "skills_sandbox-0123456789";
const codeInterpreterIdentifier = id;
const token = (text: string) => text.padEnd(36, "-");

let store: Store;
let agentcore: AgentCore;
let endpoint: RunningEndpoint;
let client: BedrockAgentCoreClient;

async function start(sandbox = sandboxHere("none")) {
  store = new Store(":memory:");
  const arn = `arn:aws:bedrock-agentcore:${region}:000000000000:code-interpreter-custom/${id}`;
  endpoint = await startEndpoint({
    resources: resources(aRole("runner", [allow(["bedrock-agentcore:*"], arn)]), aRole("other", [])),
    services: ({ clock, iam, calls }) => {
      const secrets = new Secrets({ store, clock });
      const interpreters = [{ id, region, networkMode: "SANDBOX" as const }];
      agentcore = agentCore({ store, clock, iam, calls, secrets, interpreters, sandbox });
      return [agentcore];
    },
  });
  client = clientOf("runner");
}

const clientOf = (role: string) =>
  new BedrockAgentCoreClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));

afterEach(async () => {
  client.destroy();
  await agentcore.close();
  await endpoint.close();
  store.close();
});

async function session(more: { clientToken?: string; name?: string; sessionTimeoutSeconds?: number } = {}) {
  const started = await client.send(new StartCodeInterpreterSessionCommand({ codeInterpreterIdentifier, ...more }));
  return started.sessionId ?? "";
}

async function invoke(
  sessionId: string,
  name: ToolName,
  given: ToolArguments = {},
): Promise<CodeInterpreterResult & { text?: string }> {
  const command = new InvokeCodeInterpreterCommand({ codeInterpreterIdentifier, sessionId, name, arguments: given });
  const { stream } = await client.send(command);
  for await (const { result } of stream ?? []) if (result) return result;
  throw new Error("no result");
}

async function finished(sessionId: string, taskId: string | undefined) {
  for (;;) {
    const { structuredContent } = await invoke(sessionId, "getTask", { taskId });
    if (!["submitted", "working"].includes(structuredContent?.taskStatus ?? "")) return structuredContent;
  }
}

const statusOf = async (sessionId: string) =>
  (await client.send(new GetCodeInterpreterSessionCommand({ codeInterpreterIdentifier, sessionId }))).status;

describeLevels(["bwrap", "seatbelt", "none"], (level) => {
  beforeEach(() => start(sandboxHere(level)));

  test("a command in a session prints its output, and ends with an exit code", async () => {
    const { structuredContent, isError } = await invoke(await session(), "executeCommand", {
      command: "echo out; echo err >&2; exit 4",
    });
    expect(structuredContent).toMatchObject({ stdout: "out\n", stderr: "err\n", exitCode: 4 });
    expect(isError).toBe(true);
  });

  test("files of text and bytes are written, listed, read and removed", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const one = await session();
    const content = [
      { path: "scripts/a.py", text: "print('ä')\n" },
      { path: "data.bin", blob: bytes },
    ];
    expect((await invoke(one, "writeFiles", { content })).isError).toBe(false);
    const listed = await invoke(one, "listFiles", { directoryPath: "" });
    expect(listed.content?.map(({ name, description }) => [name, description])).toEqual(
      expect.arrayContaining([
        ["data.bin", "File"],
        ["scripts", "Directory"],
      ]),
    );
    const read = await invoke(one, "readFiles", { paths: ["scripts/a.py", "data.bin"] });
    expect(read.content?.[0]?.resource).toMatchObject({ type: "text", text: "print('ä')\n" });
    expect(Buffer.from(read.content?.[1]?.resource?.blob ?? [])).toEqual(bytes);
    await invoke(one, "removeFiles", { paths: ["scripts"] });
    expect((await invoke(one, "readFiles", { paths: ["scripts/a.py"] })).isError).toBe(true);
  });

  test("a task runs beside other calls, and reports how it ended", async () => {
    const one = await session();
    const { structuredContent } = await invoke(one, "startCommandExecution", {
      command: "while [ ! -e go ]; do sleep 0.05; done; echo gone",
    });
    const { taskId } = structuredContent ?? {};
    expect(structuredContent?.taskStatus).toBe("submitted");
    expect((await invoke(one, "getTask", { taskId })).structuredContent?.taskStatus).toBe("working");
    await invoke(one, "writeFiles", { content: [{ path: "go", text: "" }] });
    expect(await finished(one, taskId)).toMatchObject({ taskStatus: "completed", stdout: "gone\n", exitCode: 0 });
  });

  test("a task that fails or is stopped says so", async () => {
    const one = await session();
    const failing = await invoke(one, "startCommandExecution", { command: "exit 9" });
    expect(await finished(one, failing.structuredContent?.taskId)).toMatchObject({ taskStatus: "failed", exitCode: 9 });
    const sleeping = await invoke(one, "startCommandExecution", { command: "sleep 1000" });
    const stopped = await invoke(one, "stopTask", { taskId: sleeping.structuredContent?.taskId });
    expect(stopped.structuredContent?.taskStatus).toBe("canceled");
  });

  test("two sessions of an interpreter share nothing", async () => {
    const [one, other] = [await session(), await session()];
    await invoke(one, "writeFiles", { content: [{ path: "mine", text: "x" }] });
    expect((await invoke(other, "readFiles", { paths: ["mine"] })).isError).toBe(true);
  });

  test("a path cannot lead out of a session: neither upwards, nor absolutely, nor by a link", async () => {
    const one = await session();
    await invoke(one, "executeCommand", { command: "ln -s /etc/passwd link" });
    for (const path of ["../x", "/etc/passwd", "a/../../x", "link"]) {
      expect((await invoke(one, "readFiles", { paths: [path] })).isError).toBe(true);
    }
    expect((await invoke(one, "writeFiles", { content: [{ path: "../x", text: "x" }] })).isError).toBe(true);
  });

  test("stopping a session ends its tasks, and later calls are refused", async () => {
    const one = await session();
    await invoke(one, "startCommandExecution", { command: "sleep 1000" });
    await client.send(new StopCodeInterpreterSessionCommand({ codeInterpreterIdentifier, sessionId: one }));
    expect(await statusOf(one)).toBe("TERMINATED");
    await expect(invoke(one, "executeCommand", { command: "true" })).rejects.toThrow("is TERMINATED");
  });
});

describe("a session", () => {
  beforeEach(() => start());

  test("an interpreter's session is started once for a client token, whatever happens to the answer", async () => {
    endpoint.faults.put([
      { service: "bedrock-agentcore", operation: "StartCodeInterpreterSession", when: "after", kind: "cut" },
    ]);
    const clientToken = token("run-1");
    await expect(session({ clientToken })).rejects.toThrow();
    const one = await session({ clientToken });
    expect(await session({ clientToken })).toBe(one);
    expect(await session({ clientToken: token("run-2") })).not.toBe(one);
    expect(agentcore.sessions.all()).toHaveLength(2);
  });

  test("an interpreter's session ends when its time is over", async () => {
    const one = await session({ sessionTimeoutSeconds: 60 });
    endpoint.clock.advance(59_000);
    expect(await statusOf(one)).toBe("READY");
    endpoint.clock.advance(1_000);
    expect(await statusOf(one)).toBe("TERMINATED");
  });

  test("an interpreter's sessions are listed by state with their names, the latest first", async () => {
    const ids = [await session({ name: "a" }), await session({ name: "b" }), await session({ name: "c" })];
    await client.send(new StopCodeInterpreterSessionCommand({ codeInterpreterIdentifier, sessionId: ids[0] }));
    const list = (more: object) =>
      client.send(new ListCodeInterpreterSessionsCommand({ codeInterpreterIdentifier, status: "READY", ...more }));
    const { items, nextToken } = await list({ maxResults: 1 });
    expect(items?.map(({ name }) => name)).toEqual(["c"]);
    expect((await list({ nextToken })).items?.map(({ sessionId }) => sessionId)).toEqual([ids[1]]);
  });

  test("an interpreter's session counts towards the quota until it has ended", async () => {
    agentcore.configure({ quotas: { codeInterpreterSessions: 1 } });
    const one = await session();
    await expect(session()).rejects.toMatchObject({ name: "ServiceQuotaExceededException" });
    await client.send(new StopCodeInterpreterSessionCommand({ codeInterpreterIdentifier, sessionId: one }));
    await session();
  });

  test("an interpreter's session needs the right on its interpreter", async () => {
    const other = clientOf("other");
    const command = new StartCodeInterpreterSessionCommand({ codeInterpreterIdentifier });
    await expect(other.send(command)).rejects.toMatchObject({ name: "AccessDeniedException" });
    other.destroy();
  });

  test.each([
    ["executeCode", { code: "1", language: "python" }],
    ["executeCommand", {}],
    ["executeCommand", { command: "true", paths: ["a"] }],
    ["writeFiles", { content: [{ path: "a" }] }],
  ] as [ToolName, ToolArguments][])("an interpreter's session refuses %s with %j", async (name, given) => {
    await expect(invoke(await session(), name, given)).rejects.toMatchObject({ name: "ValidationException" });
  });

  test('a call to an unknown session, or for an unknown task, is answered with "not found"', async () => {
    await expect(invoke("0".repeat(26), "getTask", { taskId: "x" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
    await expect(invoke(await session(), "getTask", { taskId: "x" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });
});

test("a machine without a sandbox refuses sessions, unless the stack was started without one on purpose", async () => {
  await start({ level: "none", runs: false });
  await expect(session()).rejects.toThrow("This machine has no sandbox");
});
