// `npm start` as a process: killed, started again, started wrongly.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dataVersion, mark, openDataFolder } from "../../local/data-folder.ts";
import { startLocal } from "../../local/stack.ts";
import { ledgerSince, settled, spendingOf } from "../support/accounting/accounting.ts";
import { seed } from "../support/program/seeded-stack.ts";
import { compiledOnce } from "../support/runner/run-folder.ts";
import { few } from "../support/sizes.ts";

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-restart-"));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => end(child)));
  rmSync(folder, { recursive: true, force: true });
});

type StackFile = { edge: string; demo: { api_key: string; tenant_id: string } };

/** Starts it and waits until it is up, or gives what it said when it ended. */
async function start(
  ...options: string[]
): Promise<{ stack?: StackFile; code?: number; said: string; child: ChildProcess }> {
  const env = { ...process.env, ...compiledOnce };
  const child = spawn(process.execPath, ["local/main.ts", "--port", "0", "--data", folder, ...options], { env });
  children.push(child);
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const up = new Promise<"up">((resolve) =>
    child.stdout.on("data", (text) => {
      said += text;
      if (said.includes("Try a streamed message")) resolve("up");
    }),
  );
  const ended = once(child, "exit");
  if ((await Promise.race([up, ended])) === "up") {
    return { stack: JSON.parse(readFileSync(join(folder, "stack.json"), "utf8")), said, child };
  }
  return { code: child.exitCode ?? -1, said, child };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

function ask({ edge, demo }: StackFile): Promise<Response> {
  return fetch(`${edge}/@acme.proxy/vendor/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": demo.api_key },
    body: JSON.stringify({
      model: "claude-sonnet-5",
      max_tokens: 200,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
}

const local = (stack: StackFile, method: string, path: string, body?: object) =>
  fetch(`${stack.edge}/_local${path}`, { method, ...(body && { body: JSON.stringify(body) }) });

test("a stack killed in the middle of a stream loses nothing, and settles the expired reservation after its restart", async () => {
  await seed(folder);
  const first = await start();
  if (!first.stack) throw new Error(first.said);
  await (await ask(first.stack)).text();
  await local(first.stack, "PUT", "/bedrock/settings", { millisecondsPerToken: 50, tokensPerEvent: 1 });
  const reader = (await ask(first.stack)).body?.getReader();
  await reader?.read();
  await end(first.child, "SIGKILL");

  const stack = await startLocal({ port: 0, dataFolder: folder });
  try {
    expect(stack.demo).toEqual(first.stack.demo);
    const [killed] = (await spendingOf(stack)).reservations;
    expect(killed).toMatchObject({ profile: "eu.anthropic.claude-sonnet-5" });
    await (await ask(stack as StackFile)).text();
    expect((await spendingOf(stack)).reservations).toContainEqual(killed);

    stack.clock.advance(90_000);
    await (await ask(stack as StackFile)).text();
    await settled(stack);
    const spending = await spendingOf(stack);
    expect(spending).toMatchObject({ inflight: 0, reservations: [], committed: spending.spent });
    const rows = await ledgerSince(stack, killed?.admittedAt ?? 0);
    expect(rows.filter(({ source }) => source === "estimated")).toEqual([
      expect.objectContaining({ request_id: killed?.requestId, cost: killed?.amount }),
    ]);
    expect(rows.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(spending.spent);
  } finally {
    await stack.stop();
  }
});

test("a reset deletes the stack's data, even of an earlier version, and keeps other files of the folder", async () => {
  openDataFolder(folder);
  mark(folder, dataVersion - 1);
  file("notes.txt", "mine");
  const { stack, said } = await start("--reset");
  if (!stack) throw new Error(said);
  expect((await ask(stack)).status).toBe(200);
  expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
});

describe("each of these is one clear message, and nothing hangs", () => {
  const cases: [string, () => string[], RegExp][] = [
    ["an unknown option", () => ["--prot", "1"], /Unknown option '--prot'/],
    [
      "a wrong configuration",
      () => ["--stack", file("wrong.yaml", 'config: { "aws:region": eu-central-1, "archway:colour": blue }')],
      /archway:colour: no such key/,
    ],
    [
      "data of an earlier version",
      () => earlierVersion(),
      /holds data of version \d+, and this stack keeps version \d+.*npm start -- --reset/,
    ],
    ["a reset of someone's folder", () => ["--reset", "--stack", file("mine.yaml", "")], /was not made by a stack/],
    ["a stack file that is not there", () => ["--stack", join(folder, "no.yaml")], /no\.yaml cannot be read/],
    ["damaged documents", () => damagedDocuments(), /services\.sqlite/],
    ["a damaged table", () => damagedTable(), /dynamodb/],
    ["a port that is none", () => ["--port", "high"], /--port: must be 0 to 65535/],
    ["an upstream that is no URL", () => ["--upstream", "nowhere"], /--upstream: must be an http or https URL/],
    ["a stack file that is not YAML", () => ["--stack", file("bad.yaml", "config: [")], /bad\.yaml is not YAML/],
    ["a stack file without a config", () => ["--stack", file("empty.yaml", "other: 1")], /has no map `config`/],
  ];

  test.each(few(4, cases))(
    "a start that cannot succeed prints one clear message: %s",
    async (_name, options, message) => {
      const { code, said } = await start(...options());
      expect(said).toMatch(message);
      expect(said).not.toMatch(/^ {4}at /m);
      expect(code).toBe(1);
    },
  );

  test("a port or data folder that is in use is reported in one clear message", async () => {
    await seed(folder);
    const { stack, said } = await start();
    if (!stack) throw new Error(said);
    const sameFolder = await start();
    expect(sameFolder).toMatchObject({ code: 1, said: expect.stringMatching(/in use|another process/) });
    const samePort = await start("--ephemeral", "--port", new URL(stack.edge).port);
    expect(samePort).toMatchObject({ code: 1, said: expect.stringMatching(/Port \d+ is in use/) });
  });
});

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function earlierVersion(): string[] {
  mark(folder, dataVersion - 1);
  return [];
}

function damagedDocuments(): string[] {
  openDataFolder(folder);
  file("services.sqlite", "garbage".repeat(200));
  return [];
}

function damagedTable(): string[] {
  openDataFolder(folder);
  mkdirSync(join(folder, "dynamodb"));
  file("dynamodb/CURRENT", "garbage");
  return [];
}
