// Runs of skills through the local stack: what a script is given, and what comes back of it.
import { beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";

let stack: Stack;
let workspace: SkillWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await skillWorkspace(stack, "runs");
});

test("a script gets input, arguments and files, and its output and files are returned", async () => {
  const script = `
    import json, os, sys
    given = json.load(sys.stdin)
    print(given["week"], sys.argv[1:], open(os.environ["INPUT_DIR"] + "/a.txt").read())
    print(open("references/note.txt").read(), file=sys.stderr)
    open(os.environ["OUTPUT_DIR"] + "/report.md", "w").write("# Week 47")
    open(os.environ["OUTPUT_DIR"] + "/data.bin", "wb").write(bytes([0, 255, 128]))
  `.replaceAll("\n    ", "\n");
  const content = Buffer.from("from a file").toString("base64");
  const body = { input: { week: 47 }, args: ["--all", "it's $HOME"], files: [{ name: "a.txt", content }] };
  const files = { "references/note.txt": "a note" };
  const run = await workspace.ran("report", script, body, { path: "scripts/report.py", files });
  expect(run).toMatchObject({
    ...{ skill: "report", version: 1, status: "succeeded", exit_code: 0, caller_id: workspace.developer.sub },
    ...{ output: `47 ['--all', "it's $HOME"] from a file\n`, stderr: "a note\n" },
  });
  expect(run.files).toEqual([
    { n: 1, name: "data.bin", size: 3 },
    { n: 2, name: "report.md", size: 9 },
  ]);
  const file = await workspace.call(workspace.developer, "GET", `/v1/skills/report/runs/${run.run_id}/files/1`);
  expect(Buffer.from(file.body.content, "base64")).toEqual(Buffer.from([0, 255, 128]));
});

test("a script in JavaScript runs, and the run of a failing script has its exit code", async () => {
  const run = await workspace.ran("fails", "process.stdout.write('so far'); process.exit(3);", {}, { path: "run.mjs" });
  expect(run).toMatchObject({ status: "failed", exit_code: 3, output: "so far" });
  expect(run).not.toHaveProperty("reason");
});

test("a script is ended at its time limit, and its output is kept", async () => {
  const run = await workspace.ran(
    "sleeps",
    "trap '' TERM; echo begun; sleep 1000",
    {},
    { head: '  archway-timeout: "2"\n' },
  );
  expect(run).toMatchObject({ status: "timed_out", output: "begun\n", seconds: 2 });
  expect(run).not.toHaveProperty("exit_code");
});

test("each run has a session of its own, which is stopped afterwards", async () => {
  await workspace.ran("leaves", "echo x > ../../trace; ls ..; sleep 1000 & echo done");
  const again = await workspace.start("leaves");
  expect((await workspace.ended("leaves", again.body.run_id)).output).toContain("done");
  const sessions = stack.agentcore.sessions.all();
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(sessions.length);
  expect(sessions.map(({ status }) => status)).not.toContain("READY");
});

test("a draft can be run only by its author and the owner", async () => {
  const { call, developer, owner, upload, start, ended } = workspace;
  const { version } = await upload("draft", "echo draft");
  expect(await start("draft")).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("version") } },
  });
  const { body: run } = await start("draft", { version });
  expect(await ended("draft", run.run_id)).toMatchObject({ status: "succeeded", output: "draft\n" });
  const { body: own } = await start("draft", { version }, owner);
  await ended("draft", own.run_id, owner);
  const listed = async (person: typeof owner) => (await call(person, "GET", "/v1/skills/draft/runs")).body.data;
  expect(await listed(owner)).toHaveLength(2);
  expect((await listed(developer)).map(({ run_id }: { run_id: string }) => run_id)).toEqual([run.run_id]);
  expect(await call(developer, "GET", `/v1/skills/draft/runs/${own.run_id}`)).toMatchObject({ status: 404 });
});

test("a repeated request with the same key is the same run, and its script runs once", async () => {
  const { call, developer, activate, upload, ended } = workspace;
  await activate("once", await upload("once", "echo once"));
  const headers = { "idempotency-key": "run-once-1" };
  const asked = () => call(developer, "POST", "/v1/skills/once/runs", { body: {}, headers });
  const [first, again] = [await asked(), await asked()];
  expect(first).toMatchObject({ status: 202, body: { status: "queued" } });
  expect(first.headers.get("location")).toBe(`/v1/skills/once/runs/${first.body.run_id}`);
  expect(again.body.run_id).toBe(first.body.run_id);
  await ended("once", first.body.run_id);
  const sessions = stack.agentcore.sessions.all().filter(({ name }) => name === first.body.run_id);
  expect(sessions).toHaveLength(1);
});

test("a run is one line in the log, without its input and output", async () => {
  const run = await workspace.ran("logged", "cat; echo printed-text; exit 1", {
    input: { word: "given-text" },
    args: ["argument-text"],
  });
  const lines = stack.logs.lines().map(({ line }) => line);
  expect(lines.filter((line) => line.includes(run.run_id) && line.includes('"skill_runs":1'))).toHaveLength(1);
  expect(lines.filter((line) => /given-text|printed-text|argument-text/.test(line))).toEqual([]);
});
