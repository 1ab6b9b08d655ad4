import { expect, test } from "@jest/globals";
import { runTool } from "../../../../packages/command-line/machine/child-process.ts";

const env = { PATH: process.env.PATH };
const node = (script: string, input?: string, timeoutMs?: number) =>
  runTool(process.execPath, ["-e", script], { env, ...(input && { input }), ...(timeoutMs && { timeoutMs }) });

test("a child process's output is returned after it has read its input", async () => {
  expect(await node("process.stdin.pipe(process.stdout)", "secret")).toBe("secret");
});

test("no argument of a child process is interpreted by a shell", async () => {
  expect(await runTool("echo", ["$(id)", ";", "`id`"], { env })).toBe("$(id) ; `id`\n");
});

test("a failed child process is reported with its exit code, without its output", async () => {
  const failing = node("console.log('secret'); console.error('secret'); process.exitCode = 7");
  await expect(failing).rejects.toThrow(/^\S+ ended with 7$/);
  await expect(runTool("no-such-tool", [], { env })).rejects.toThrow("no-such-tool: ENOENT");
});

test("a child process that waits for input from a person is ended, and one that does not read its input is not awaited", async () => {
  await expect(node("setInterval(() => {}, 1000)", undefined, 300)).rejects.toThrow("ended with a signal");
  expect(await node("process.stdin.destroy()", "x".repeat(1_000_000))).toBe("");
});
