// The function `runner` dies at each of its calls to the outside, before or after the call's effect, and the queue brings its message again: the
// script has run at most once, its session is stopped, and the workspace has its place back within the run's time.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { aroundSeconds, mostWaitSeconds } from "../../../domain/runs/run-limits.ts";
import { currentUse, type RunUse } from "../../../domain/runs/run-use.ts";
import type { FaultInput } from "../../../emulators/aws/faults.ts";
import { runner } from "../../../handlers/runner/contract.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt } from "../../support/accounting/accounting.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { sizes } from "../../support/sizes.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";

const timeoutSeconds = 5;
/** A message that failed comes back after six timeouts of its function (components/queue.ts). */
const redeliveredMs = 6 * runner.timeoutSeconds * 1_000 + 1_000;

/** What has been done of a run: nothing, it has begun, its script was started, its end was written. */
type Done = "nothing" | "begun" | "started" | "ended";
type Call = Pick<FaultInput, "service" | "operation" | "match" | "nth">;

const session = (operation: string, match?: string): Call => ({
  service: "bedrock-agentcore",
  operation,
  ...(match !== undefined && { match }),
});
const tool = (name: string) => session("InvokeCodeInterpreter", name);
const write = (match: string): Call => ({ service: "dynamodb", operation: "TransactWriteItems", match });
/** `control` has read the same once, when it was asked for the run. */
const read = (match: string): Call => ({ service: "dynamodb", operation: "GetItem", match, nth: 2 });

/** The calls of a run that nothing happens to, the most telling ones first: what has been done before each, and after it. */
const calls: [name: string, call: Call, before: Done, after: Done][] = [
  ["starting the script", tool("startCommandExecution"), "begun", "started"],
  ["writing the end", write('"ended_at"'), "started", "ended"],
  ["writing the beginning", write('"started_at"'), "nothing", "begun"],
  ["starting the session", session("StartCodeInterpreterSession"), "begun", "begun"],
  ["reading the run", read("SKILLRUN#"), "nothing", "nothing"],
  ["reading the use", read("SKILLUSE#"), "nothing", "nothing"],
  ["reading the version", read("SKILL#"), "begun", "begun"],
  ["reading the files", { service: "s3", operation: "GetObject" }, "begun", "begun"],
  ["writing the files", tool("writeFiles"), "begun", "begun"],
  ["looking at the script", tool("getTask"), "started", "started"],
  ["reading the result", tool("readFiles"), "started", "started"],
  // The first object is the input, which `control` writes.
  ["keeping the outputs", { service: "s3", operation: "PutObject", nth: 2 }, "started", "started"],
  ["stopping the session", session("StopCodeInterpreterSession"), "started", "started"],
];
const points = calls
  .flatMap(([name, call, before, after]) => [
    ["after", name, call, after] as const,
    ["before", name, call, before] as const,
  ])
  .slice(0, sizes.runnerDeaths);

let stack: Stack;
let workspace: SkillWorkspace;
let server: Server;
/** How often a script was there. */
let effects = 0;

beforeAll(async () => {
  server = createServer((_request, response) => {
    effects += 1;
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  stack = await sharedStack();
  workspace = await skillWorkspace(stack, "deaths");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const head = `  archway-network: internet\n  archway-timeout: "${timeoutSeconds}"\n`;
  const { activate, upload } = workspace;
  await activate("once", await upload("once", `await fetch("${url}");`, { path: "run.mjs", head }));
});
afterEach(() => {
  stack.faults.clear();
  effects = 0;
});
afterAll(() => void server.close());

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

async function openLeases(): Promise<string[]> {
  const row = await itemAt(stack, { pk: `SKILLUSE#${workspace.tenantId}`, sk: "USE" });
  return Object.keys(currentUse(row as RunUse | undefined, stack.clock.now()).leases);
}

const ready = () => stack.agentcore.sessions.all().filter(({ status }) => status === "READY");
const seen = async (id: string) =>
  (await workspace.call(workspace.developer, "GET", `/v1/skills/once/runs/${id}`)).body;

test.each(points)("a runner that dies %s %s starts its script at most once", async (when, _name, call, done) => {
  // Repeats of the call hang, too, however long it takes to see that the first one does.
  stack.faults.put([{ ...call, when, kind: "hang", times: 100 }]);
  const { body: run } = await workspace.start("once");
  await until(() => stack.faults.list().some(({ struck }) => struck > 0));
  const hasStarted = done === "started" || done === "ended";
  if (hasStarted) await until(() => effects > 0);
  await stack.functions.byName("runner-local").kill();
  // What hung never takes effect once its caller is known to be gone.
  await until(() => stack.faults.list().every(({ hanging }) => hanging === 0));
  stack.faults.clear();

  // Nobody carries it out now. Once its time is over its place is free, and readers know that it is lost.
  const wait = done === "nothing" ? mostWaitSeconds : 0;
  stack.clock.advance((wait + timeoutSeconds + aroundSeconds) * 1_000 + 1_000);
  const status = done === "ended" ? "succeeded" : "lost";
  expect(await seen(run.run_id)).toMatchObject({ status });
  expect(await openLeases()).toEqual([]);
  await until(() => ready().length === 0);

  stack.clock.advance(redeliveredMs);
  await stack.queuePoller.idle();
  expect(await seen(run.run_id)).toMatchObject({ status });
  expect({ effects, ready: ready() }).toEqual({ effects: hasStarted ? 1 : 0, ready: [] });
});
