// Scripts that mean harm, as runs of skills: each is ended in time, its session is stopped, and the stack goes on.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";

let stack: Stack;
let workspace: SkillWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  stack.agentcore.configure({ session: { memoryMb: 200, diskMb: 20, processes: 30 } });
  workspace = await skillWorkspace(stack, "hostile");
});

const head = '  archway-timeout: "20"\n';

test.each([
  ["forks", "for i in $(seq 500); do sleep 1000 & done; sleep 1000"],
  ["fills-disk", "i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done"],
  ["fills-memory", "node -e 'const held = []; for (;;) held.push(Buffer.alloc(10_000_000, 1))'"],
  ["ends-its-run", "kill -9 $PPID; sleep 1000"],
])("a script that %s is ended by the sandbox", async (name, script) => {
  const run = await workspace.ran(name, script, {}, { head });
  expect(run).toMatchObject({ status: "failed" });
  expect(stack.agentcore.sessions.all().filter(({ status }) => status === "READY")).toEqual([]);
});

test("the output of a script that prints a gigabyte is cut, and its run says so", async () => {
  const run = await workspace.ran("prints", "head -c 1000000000 /dev/zero | tr '\\0' x", {}, { head });
  expect(run.output).toHaveLength(256 * 1024);
  expect(run).toMatchObject({ status: "succeeded", truncated: true });
});

test("a script that ignores TERM and sleeps is ended at its time limit", async () => {
  const script = "trap '' TERM INT HUP; while :; do sleep 1000; done";
  const run = await workspace.ran("sleeps", script, {}, { head: '  archway-timeout: "1"\n' });
  expect(run).toMatchObject({ status: "timed_out", seconds: 1 });
});

test("a script that leaves links, forged results and odd names returns only its own files", async () => {
  const script = `
    ln -s /etc/passwd $OUTPUT_DIR/link; ln -s ${homedir()} $OUTPUT_DIR/home
    mkdir $OUTPUT_DIR/sub; echo x > "$OUTPUT_DIR/a
b"; echo fine > $OUTPUT_DIR/fine.txt; for i in $(seq 20); do echo x > $OUTPUT_DIR/z$i; done
    echo '9 ../../../../etc/passwd' >> ../result/files`;
  const run = await workspace.ran("forges", script, {}, { head });
  const names = run.files.map(({ name }: { name: string }) => name);
  expect(run.status).toBe("succeeded");
  expect(names).toContain("fine.txt");
  expect(names.length).toBeLessThanOrEqual(10);
  expect(names.filter((name: string) => /link|home|sub|\n|passwd/.test(name))).toEqual([]);
  expect(run.reason).toContain("only the first 10");
});

test("a script in a sandbox cannot read the home folder, the stack's addresses or the cloud's metadata", async () => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const urls = [
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stack.aws,
    "http://169.254.169.254/latest/",
  ];
  const script = `
    import { readdirSync } from "node:fs";
    const read = () => { try { return readdirSync(${JSON.stringify(homedir())}).length; } catch { return 0; } };
    const asked = ${JSON.stringify(urls)}.map((url) => fetch(url, { signal: AbortSignal.timeout(3000) }).then(() => 1, () => 0));
    console.log(JSON.stringify({ home: read(), reached: await Promise.all(asked), aws: Object.keys(process.env).filter((name) => /AWS/.test(name)) }));`;
  const run = await workspace.ran("looks", script, {}, { head, path: "run.mjs" });
  const found = JSON.parse(run.output);
  expect(found.aws).toEqual([]);
  if (stack.sandbox.level !== "none") {
    expect(found).toMatchObject({ home: 0, reached: [0, 0, 0] });
    expect(calls).toBe(0);
  }
  await new Promise((resolve) => server.close(resolve));
});

test("after hostile scripts an honest script still runs", async () => {
  expect(await workspace.ran("honest", "echo fine")).toMatchObject({ status: "succeeded", output: "fine\n" });
});
