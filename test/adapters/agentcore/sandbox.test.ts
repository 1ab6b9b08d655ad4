// The runner's way to sessions, against the local AgentCore.
import { BedrockAgentCoreClient } from "@aws-sdk/client-bedrock-agentcore";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { codeInterpreters } from "../../../adapters/agentcore/sandbox.ts";
import { type Sandbox, SandboxUnavailable } from "../../../domain/runs/sandbox.ts";
import type { AgentCore } from "../../../emulators/agentcore/agentcore.ts";
import { sandboxHere } from "../../../emulators/sandbox/level.ts";
import { Secrets } from "../../../emulators/secrets-manager/secrets.ts";
import { Store } from "../../../emulators/store.ts";
import { agentCore } from "../../../emulators/test/support/agentcore.ts";
import {
  clientOptions,
  type RunningEndpoint,
  region,
  startEndpoint,
} from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

const runId = "0mwtmu1tuf13c701469c04654b383424b2c666a08";
const wanted = { runId, network: "none", seconds: 60 } as const;

let store: Store;
let agentcore: AgentCore;
let endpoint: RunningEndpoint;
let clients: BedrockAgentCoreClient[];
let sandbox: Sandbox;

beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(aRole("runner", [allow(["bedrock-agentcore:*"], "*")])),
    services: ({ clock, iam, calls }) => {
      const interpreters = [{ id: "skills-0123456789", region, networkMode: "SANDBOX" as const }];
      const secrets = new Secrets({ store, clock });
      agentcore = agentCore({ store, clock, iam, calls, secrets, interpreters, sandbox: sandboxHere("none") });
      return [agentcore];
    },
  });
  const options = clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("runner")));
  clients = [3, 1].map((maxAttempts) => new BedrockAgentCoreClient({ ...options, maxAttempts }));
  sandbox = codeInterpreters({ none: "skills-0123456789", internet: "unknown-0123456789" }, ...clients);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await agentcore.close();
  await endpoint.close();
  store.close();
});

const cutAfter = (operation: string, match?: string) =>
  endpoint.faults.put([
    { service: "bedrock-agentcore", operation, when: "after", kind: "cut", ...(match !== undefined && { match }) },
  ]);

test("a sandbox session gets files unchanged, runs a command beside other calls, and returns files", async () => {
  const session = await sandbox.session(wanted);
  const bytes = Buffer.from([0, 255, 128]);
  await session.write([
    { path: "a/b.bin", content: bytes },
    { path: "empty", content: Buffer.alloc(0) },
  ]);
  const task = await session.start("cp a/b.bin copy");
  while (!(await session.isOver(task)));
  expect(await session.read("copy")).toEqual(bytes);
  expect(await session.read("empty")).toEqual(Buffer.alloc(0));
  expect(await session.read("missing")).toBeUndefined();
  await session.stop();
  expect(agentcore.sessions.all()).toMatchObject([{ status: "TERMINATED", name: runId }]);
});

test("starting a sandbox session again after a lost answer starts no second session", async () => {
  cutAfter("StartCodeInterpreterSession");
  await (await sandbox.session(wanted)).stop();
  expect(agentcore.sessions.all()).toHaveLength(1);
});

test("a command in the sandbox whose answer was lost is not started again", async () => {
  const session = await sandbox.session(wanted);
  cutAfter("InvokeCodeInterpreter", "startCommandExecution");
  await expect(session.start("echo x >> count")).rejects.toThrow();
  const task = await session.start("cat count > seen; sleep 0.1; cat count > seen");
  while (!(await session.isOver(task)));
  expect((await session.read("seen"))?.toString()).toBe("x\n");
});

test("a sandbox is unavailable if a quota is reached or the interpreter is gone", async () => {
  agentcore.configure({ quotas: { codeInterpreterSessions: 0 } });
  await expect(sandbox.session(wanted)).rejects.toBeInstanceOf(SandboxUnavailable);
  await expect(sandbox.session({ ...wanted, network: "internet" })).rejects.toBeInstanceOf(SandboxUnavailable);
});

test("sandbox sessions without a known run are found and stopped, and no others", async () => {
  await sandbox.session(wanted);
  await sandbox.session({ ...wanted, runId: runId.replace("0", "1") });
  await sandbox.stopSessionsOf(wanted);
  expect(agentcore.sessions.all().map(({ status }) => status)).toEqual(["TERMINATED", "READY"]);
});
