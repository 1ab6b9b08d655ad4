// The skills of the demo workspace, as `npm start` leaves them.
import { beforeAll, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";

let stack: Stack;
let token: string;

beforeAll(async () => {
  stack = await sharedStack();
  if (!stack.demo) throw new Error("no demo workspace");
  token = await consoleToken(stack, stack.demo.developer);
});

async function read<T>(path: string): Promise<T> {
  const response = await fetch(stack.at("api") + path, { headers: { authorization: `Bearer ${token}` } });
  return response.json() as Promise<T>;
}

test("the demo workspace has an active skill of each kind", async () => {
  const { data } = await read<{ data: object[] }>("/v1/skills");
  expect(data).toMatchObject([
    { name: "release-notes", kind: "instructions", status: "active" },
    { name: "word-count", kind: "script", status: "active", timeout_seconds: 10 },
  ]);
});

test("the script of the demo skill counts words", async () => {
  const path = "/v1/skills/word-count/runs";
  const body = { input: { text: "Ein Bogen\nhält 🏛️ sich selbst\n" } };
  const { run_id } = (await callControlPlane(stack, token, "POST", path, body)) as { run_id: string };
  await stack.queuePoller.idle();
  const run = await read<{ status: string; output: string }>(`${path}/${run_id}`);
  expect(run.status).toBe("succeeded");
  expect(JSON.parse(run.output)).toEqual({ lines: 2, words: 6, characters: 30 });
});
