// One life of two secrets, by the API, by the assistant's page, in runs that end in each way and in calls that fail; and then a search for their
// values over everything that the stack, the skills server and its client have written, said and kept.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { bundle } from "../../../packages/skills-mcp/build.ts";
import { everything } from "../../support/accounting/accounting.ts";
import type { SeededStack } from "../../support/program/seeded-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";
import { callText, PageVisit, SkillsSeat } from "../../support/skills/skills-server.ts";

const core = { put: `put-${randomUUID()}`, typed: `typed-${randomUUID()}`, refused: `refused-${randomUUID()}` };
const putValue = `${core.put}\nsecond "line" & ü`;

let stack: SeededStack;
let workspace: SkillWorkspace;
let seat: SkillsSeat;
/** What the API and the pages have answered. */
const answers: string[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await skillWorkspace(stack, "searched");
  const program = [process.execPath, await bundle(join(stack.dataFolder, "archway-skills.cjs"))];
  seat = (await SkillsSeat.build(stack.at("api"), program))();
  await seat.signIn(workspace.owner);
});
afterAll(() => seat?.remove());

async function call(person: "owner" | "developer", method: string, path: string, body?: object) {
  const answer = await workspace.call(workspace[person], method, path, body && { body });
  answers.push(JSON.stringify([answer.body, [...answer.headers]]));
  return answer;
}

async function run(name: string, body: object = {}) {
  const started = await call("developer", "POST", `/v1/skills/${name}/runs`, body);
  await stack.queuePoller.idle();
  const path = `/v1/skills/${name}/runs/${started.body.run_id}`;
  const { body: ended } = await call("developer", "GET", path);
  for (const { n } of ended.files) await call("developer", "GET", `${path}/files/${n}`);
  return ended;
}

/** A skill whose script has both secrets. */
async function share(name: string, script: string, head = '  archway-timeout: "20"\n') {
  const version = await workspace.upload(name, script, { head });
  await call("developer", "PATCH", `/v1/skills/${name}/env`, {
    env: { PUT: { secret: "PUT" }, TYPED: { secret: "TYPED" } },
  });
  await workspace.activate(name, version);
}

/** Every text as it may have been written: itself, in hexadecimal digits, and in base64 wherever it begins. */
function formsOf(text: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString("base64");
    // The first and the last digits belong to what stands beside it, too.
    return encoded.slice(before === 0 ? 0 : 4, -4);
  });
  return [text, Buffer.from(text).toString("hex"), ...inBase64];
}

/** The bytes of all files, each byte as one character. */
function filesBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

/** The seat with each line between client and server, and what the server says beside it, in files of the home. */
function heard(): SkillsSeat {
  const script = 'log=$1; shift; /usr/bin/tee "$log.in" | "$@" 2> "$log.err" | /usr/bin/tee "$log.out"';
  const words = ["/bin/sh", "-c", script, "heard", join(seat.home, "heard"), process.execPath];
  return seat.with([...words, join(stack.dataFolder, "archway-skills.cjs")]);
}

test("values of secrets appear in no log, row, answer or file", async () => {
  // By the API: given, replaced, refused for its form, and refused because the key does not answer.
  await call("developer", "PUT", "/v1/secrets/PUT", { value: core.refused });
  await call("developer", "PUT", "/v1/secrets/PUT", { value: putValue, description: "The robot's" });
  expect((await call("developer", "PUT", "/v1/secrets/BAD", { value: `${core.refused}\0` })).status).toBe(400);
  expect((await call("developer", "PUT", "/v1/secrets/bad", { value: core.refused })).status).toBe(400);
  stack.faults.put([{ service: "kms", operation: "GenerateDataKey", when: "before", kind: "error", times: 9 }]);
  expect((await call("developer", "PUT", "/v1/secrets/OTHER", { value: core.refused })).status).toBeGreaterThan(499);
  stack.faults.clear();

  // By an assistant, whose person types it on the page.
  const client = await heard().connect({
    elicited: async (url) => {
      const visit = new PageVisit(url);
      for (const path of ["/", "/page.js", "/page.css"]) answers.push(await (await fetch(visit.origin + path)).text());
      answers.push(JSON.stringify(await visit.open()));
      answers.push(JSON.stringify(await visit.answer({ value: "x".repeat(9_000) + core.refused })));
      answers.push(JSON.stringify(await visit.answer({ value: core.typed })));
      return "accept";
    },
  });
  expect(await callText(client, "create_secret", { name: "TYPED", description: "Typed" })).toMatchObject({
    isError: false,
  });

  // Runs that succeed, fail, take too long, are ended by the sandbox, and meet a sandbox that fails.
  const prints = 'echo "$PUT|$TYPED"; echo "$TYPED" >&2; echo "$PUT" > "$OUTPUT_DIR/$TYPED.txt"; set';
  await share("prints", prints);
  expect(await run("prints")).toMatchObject({ status: "succeeded", output: expect.stringContaining("[secret]") });
  await share("fails", `${prints}; exit 1`);
  expect(await run("fails", { input: { word: "input" }, args: ["argument"] })).toMatchObject({ status: "failed" });
  await share("sleeps", `${prints}; sleep 100`, '  archway-timeout: "1"\n');
  expect(await run("sleeps")).toMatchObject({ status: "timed_out" });
  await share("is-ended", `${prints}; kill -9 $PPID`);
  expect(await run("is-ended")).toMatchObject({ status: "failed" });
  const writing = { service: "bedrock-agentcore", operation: "InvokeCodeInterpreter", match: "writeFiles" };
  stack.faults.put([{ ...writing, when: "after", kind: "error", times: 9 }]);
  expect(await run("prints")).toMatchObject({ status: "failed" });
  stack.faults.clear();

  // By the assistant: the skill's own tool, the same by its name, and what there is to read.
  await callText(client, "list_skills");
  const native = await callText(client, "prints");
  expect(native.text).toContain("[secret]");
  await callText(client, "invoke_skill", { name: "fails", input: { args: ["x"] } });
  const { run_id } = JSON.parse(native.text) as { run_id: string };
  await callText(client, "get_run", { name: "prints", run_id });
  // A model is told of no variable's value either, though its person may see it.
  const vars = { TYPED: { secret: "TYPED" }, MODE: "a plain value" };
  const set = await callText(client, "set_env_vars", { name: "prints", vars });
  expect(JSON.parse(set.text)).toEqual({
    name: "prints",
    env: [{ name: "MODE" }, { name: "PUT", secret: "PUT" }, { name: "TYPED", secret: "TYPED" }],
  });
  await callText(client, "list_secrets");
  await callText(client, "read_skill", { name: "prints" });
  await client.close();

  // What the owner sees in the console, and the removal.
  const authorization = `Bearer ${await consoleToken(stack, workspace.owner)}`;
  const reads = [
    "/secrets",
    "/skills/prints/env",
    "/skills/prints",
    "/skills/prints/runs",
    "/skills/prints/runs?format=csv",
    "/audit",
  ];
  for (const path of reads) {
    answers.push(await (await fetch(`${stack.at("api")}/v1${path}`, { headers: { authorization } })).text());
  }
  await call("owner", "DELETE", "/v1/secrets/TYPED");

  const objects = stack.s3
    .list()
    .map(({ bucket, key }) => `${key} ${stack.s3.bytesOf(bucket, key)?.toString("latin1")}`);
  const written: [place: string, text: string, known: string][] = [
    ["rows of the table", JSON.stringify(await everything(stack)), `SECRET#${workspace.tenantId}`],
    ["objects of the bucket", objects.join("\n"), "[secret]"],
    ["log lines", JSON.stringify(stack.logs.lines()), '\\"skill_runs\\":1'],
    ["records of calls to AWS", JSON.stringify(stack.calls.all()), "GenerateDataKey"],
    ["what AgentCore lists", JSON.stringify(stack.agentcore.list()), "TERMINATED"],
    ["messages of queues", JSON.stringify(stack.queues.all.map((queue) => queue.messages())), "["],
    ["mails", JSON.stringify(stack.mailbox.mails(workspace.owner.email)), workspace.owner.email],
    ["files of the stack's data", filesBelow(stack.dataFolder), `SECRET#${workspace.tenantId}`],
    [
      "files of the home, with every message of the protocol and what the server says",
      filesBelow(seat.home),
      '"method":"tools/call"',
    ],
    ["answers of the API and the pages", answers.join("\n"), "<!doctype html>"],
  ];
  for (const [place, text, known] of written) {
    // The search finds what is there.
    expect({ place, has: text.toLowerCase().includes(known.toLowerCase()) }).toEqual({ place, has: true });
    for (const [secret, value] of Object.entries(core)) {
      const found = formsOf(value).filter((form) => text.includes(form));
      expect({ place, secret, found }).toEqual({ place, secret, found: [] });
    }
  }
});
