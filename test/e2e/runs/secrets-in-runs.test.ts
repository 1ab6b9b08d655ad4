// The value of a secret in a run: the script of the active version has it, and nothing that the run gives back.
import { beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";

const value = "a-value-that-nobody-may-see-4b1c";
const script =
  'set -u; echo "$TOKEN|$URL"; echo "$TOKEN" >&2; echo "has $TOKEN" > $OUTPUT_DIR/out.txt; printf %s "$TOKEN" | wc -c';

let stack: Stack;
let workspace: SkillWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await skillWorkspace(stack, "masked");
  const { call, developer } = workspace;
  await call(developer, "PUT", "/v1/secrets/JIRA", { body: { value } });
});

async function setEnvironment(name: string) {
  const env = { TOKEN: { secret: "JIRA" }, URL: "https://jira.example.com" };
  const changed = await workspace.call(workspace.developer, "PATCH", `/v1/skills/${name}/env`, { body: { env } });
  expect(changed.status).toBe(200);
}

test("the script of the active version gets the secret's value, which is masked in its output and files", async () => {
  const { call, developer, upload, activate, start, ended } = workspace;
  const version = await upload("uses-token", script);
  await setEnvironment("uses-token");
  await activate("uses-token", version);
  const { body } = await start("uses-token");
  const run = await ended("uses-token", body.run_id);
  expect(run).toMatchObject({
    status: "succeeded",
    output: `[secret]|https://jira.example.com\n${value.length}\n`,
    stderr: "[secret]\n",
  });
  const file = await call(developer, "GET", `/v1/skills/uses-token/runs/${run.run_id}/files/1`);
  expect(Buffer.from(file.body.content, "base64").toString()).toBe("has [secret]\n");
});

test("the script of a draft gets variables and no secret, and its run says so", async () => {
  const { upload, start, ended } = workspace;
  const { version } = await upload("draft-token", script);
  await setEnvironment("draft-token");
  const { body } = await start("draft-token", { version });
  expect(await ended("draft-token", body.run_id)).toMatchObject({
    status: "failed",
    withheld_secrets: ["JIRA"],
    stderr: expect.stringContaining("TOKEN"),
  });
});
