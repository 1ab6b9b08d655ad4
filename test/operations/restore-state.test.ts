// `npm run restore:state` as an operator runs it, on a state like that of `pulumi stack export`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { compiledOnce } from "../support/runner/run-folder.ts";

const old = "archway-1a2b3c4";
const arn = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;
const stack = { type: "pulumi:pulumi:Stack", urn: "urn:stack" };
const table = (name: string) => ({
  type: "aws:dynamodb/table:Table",
  urn: "urn:table",
  custom: true,
  id: name,
  inputs: { __defaults: [], name, hashKey: "pk" },
  outputs: { id: name, name, arn: arn(name), globalSecondaryIndexes: [{ name: "gsi1" }] },
  protect: true,
});
const item = (name: string) => ({
  type: "aws:dynamodb/tableItem:TableItem",
  urn: "urn:item",
  id: `${name}|pk|CLIENT#abc|sk|CLIENT`,
  inputs: { tableName: name, hashKey: "pk", item: '{"pk":{"S":"CLIENT#abc"}}' },
  outputs: { tableName: name },
});
/** Another resource names the table, too: the next `up` changes it. */
const policy = { type: "aws:iam/rolePolicy:RolePolicy", inputs: { policy: arn(old) } };
const exported = { version: 3, deployment: { manifest: {}, resources: [stack, table(old), item(old), policy] } };

async function run(input: unknown, ...args: string[]) {
  const child = spawn(process.execPath, ["operations/restore-state.ts", ...args], {
    env: { ...compiledOnce, PATH: process.env.PATH },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(typeof input === "string" ? input : JSON.stringify(input));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code };
}

test("restoring replaces the old table's name by the restored one, exactly in the entries of the table and its items", async () => {
  const { out, err, code } = await run(exported, old, "archway-restored");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    ...exported,
    deployment: {
      ...exported.deployment,
      resources: [stack, table("archway-restored"), item("archway-restored"), policy],
    },
  });
  expect(err).toBe("archway-restored is in the place of archway-1a2b3c4 in 2 entries of 4.\n");
});

test.each([
  ["a table that the state does not have", exported, ["other", "new"], "The state has no table other"],
  ["a table that is in its place already", exported, [old, old], "Usage: "],
  ["text that is no state", "{", [old, "new"], "The standard input is no state of version 3"],
  [
    "a stack that was cut off",
    { ...exported, deployment: { ...exported.deployment, pending_operations: [{}] } },
    [old, "new"],
    "The stack was cut off in mid-change",
  ],
])("restoring the state with %s is refused, and nothing is written", async (_what, input, args, message) => {
  const { out, err, code } = await run(input, ...args);
  expect([code, out, err.startsWith(message)]).toEqual([1, "", true]);
});
