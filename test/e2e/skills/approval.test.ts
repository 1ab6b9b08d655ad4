// What the owner approved is what runs: an activation covers a version's files and its environment, and what others change later waits for the next one.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type SkillWorkspace, skillWorkspace } from "../../support/skills/skill-workspace.ts";

/** A script that tells the length of its token, and prints nothing of it. */
const measures = 'printf %s "$TOKEN" | wc -c | tr -d " "';

let stack: Stack;
let workspace: SkillWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await skillWorkspace(stack, "approved");
});

const asOwner = (method: string, path: string, body?: object) =>
  workspace.call(workspace.owner, method, path, body && { body });
const asDeveloper = (method: string, path: string, body?: object) =>
  workspace.call(workspace.developer, method, path, body && { body });
const giveSecret = (as: typeof asOwner, name: string, value: string) => as("PUT", `/v1/secrets/${name}`, { value });
const setVariables = (as: typeof asOwner, name: string, env: object) => as("PATCH", `/v1/skills/${name}/env`, { env });
/** The skill's environment as its owner reviews it. */
const reviewed = async (name: string) => (await asOwner("GET", `/v1/skills/${name}/env`)).body;

async function printed(name: string, body: object = {}) {
  const started = await workspace.start(name, body);
  return workspace.ended(name, started.body.run_id);
}

describe("an environment that changed after its review", () => {
  test("an environment that changed after its review is not activated, and the second review shows the changed address and secret", async () => {
    await giveSecret(asOwner, "TEAM_TOKEN", "the owner's");
    const version = await workspace.upload("changed", measures);
    const { env, env_digest } = await reviewed("changed");
    expect(env).toEqual([]);
    await setVariables(asDeveloper, "changed", {
      JIRA_URL: "https://evil.example",
      TOKEN: { secret: "TEAM_TOKEN" },
    });
    const activation = { ...version, env_digest };
    const clicked = await asOwner("POST", "/v1/skills/changed/activate", activation);
    expect(clicked).toMatchObject({
      status: 409,
      body: {
        error: {
          message: expect.stringContaining("env_digest: the environment is another one than was reviewed"),
          details: { error_code: "digest_mismatch" },
        },
      },
    });
    expect((await asOwner("GET", "/v1/skills/changed")).body).toMatchObject({ status: "inactive" });
    const { sub } = workspace.developer;
    expect(await reviewed("changed")).toMatchObject({
      env: [
        { name: "JIRA_URL", value: "https://evil.example", set_by: sub },
        { name: "TOKEN", secret: "TEAM_TOKEN", set_by: sub, secret_set_by: workspace.owner.sub },
      ],
    });
  });

  test("an environment is not activated if one of its secrets got another value after the review", async () => {
    await giveSecret(asDeveloper, "ROBOT", "first");
    const version = await workspace.upload("other-value", measures);
    await setVariables(asDeveloper, "other-value", { TOKEN: { secret: "ROBOT" } });
    const { env_digest } = await reviewed("other-value");
    await giveSecret(asDeveloper, "ROBOT", "second value");
    const clicked = await asOwner("POST", "/v1/skills/other-value/activate", { ...version, env_digest });
    expect(clicked).toMatchObject({ status: 409 });
  });

  test("an environment cannot be activated from a tab that shows an old state, and only once from two tabs that show the current one", async () => {
    const version = await workspace.upload("two-tabs", measures);
    const click = (env_digest: string) =>
      asOwner("POST", "/v1/skills/two-tabs/activate", { ...version, env_digest }).then(({ status }) => status);
    const { env_digest: before } = await reviewed("two-tabs");
    await setVariables(asDeveloper, "two-tabs", { MODE: "short" });
    expect(await Promise.all([click(before), click(before)])).toEqual([409, 409]);
    const { env_digest: now } = await reviewed("two-tabs");
    expect(await Promise.all([click(now), click(now)])).toEqual([200, 200]);
    const authorization = `Bearer ${await consoleToken(stack, workspace.owner)}`;
    const trail = `${stack.at("api")}/v1/audit?target=two-tabs&action=skill.activate`;
    const { data } = (await (await fetch(trail, { headers: { authorization } })).json()) as { data: object[] };
    expect(data).toMatchObject([{ after: { env: ["MODE"], env_digest: now } }]);
    expect(data).toHaveLength(1);
  });
});

describe("an active skill", () => {
  test("an active skill keeps the approved value of a secret when its author sets another value, until the next activation", async () => {
    await giveSecret(asDeveloper, "ROTATED", "first");
    const version = await workspace.upload("rotated", measures);
    await setVariables(asDeveloper, "rotated", { TOKEN: { secret: "ROTATED" } });
    await workspace.activate("rotated", version);
    expect(await giveSecret(asDeveloper, "ROTATED", "second value")).toMatchObject({
      status: 200,
      body: { used_by: expect.arrayContaining(["rotated"]) },
    });
    expect(await printed("rotated")).toMatchObject({ status: "succeeded", output: "5\n" });
    await workspace.activate("rotated", version);
    expect(await printed("rotated")).toMatchObject({ status: "succeeded", output: "12\n" });
  });

  test("an active skill gets a secret's new value at once if the owner sets it, and only the owner can replace it", async () => {
    await giveSecret(asDeveloper, "TAKEN", "first");
    const version = await workspace.upload("taken", measures);
    await setVariables(asDeveloper, "taken", { TOKEN: { secret: "TAKEN" } });
    await workspace.activate("taken", version);
    await giveSecret(asOwner, "TAKEN", "the owner's value");
    expect(await printed("taken")).toMatchObject({ status: "succeeded", output: "17\n" });
    expect(await giveSecret(asDeveloper, "TAKEN", "back")).toMatchObject({ status: 403 });
  });

  test("an active skill keeps the approved variables while its author proposes others", async () => {
    const version = await workspace.upload("proposed", 'echo "$JIRA_URL|$MODE"');
    await setVariables(asOwner, "proposed", { JIRA_URL: "https://jira.example", MODE: "short" });
    await workspace.activate("proposed", version);
    const proposal = await setVariables(asDeveloper, "proposed", { JIRA_URL: "https://evil.example", MODE: null });
    // The maker sees the own value, and whose the other one is.
    expect(proposal.body).toMatchObject({ env: [{ name: "JIRA_URL", value: "https://evil.example" }] });
    expect(proposal.body.active_env.map((each: object) => "value" in each)).toEqual([false, false]);
    expect(proposal.body).not.toHaveProperty("env_digest");
    expect(await printed("proposed")).toMatchObject({ output: "https://jira.example|short\n" });
    const { env, active_env } = await reviewed("proposed");
    expect(env).toMatchObject([{ name: "JIRA_URL", value: "https://evil.example" }]);
    expect(active_env).toMatchObject([
      { name: "JIRA_URL", value: "https://jira.example", set_by: workspace.owner.sub },
      { name: "MODE", value: "short" },
    ]);
    await workspace.activate("proposed", version);
    expect(await printed("proposed")).toMatchObject({ output: "https://evil.example|\n" });
  });

  test("an active skill whose secret was removed fails and names it, even if another person created one with the same name", async () => {
    await giveSecret(asOwner, "LAB_SECRET", "the owner's");
    const version = await workspace.upload("lab", measures);
    await setVariables(asDeveloper, "lab", { TOKEN: { secret: "LAB_SECRET" } });
    await workspace.activate("lab", version);
    const removed = { status: 200, body: { name: "LAB_SECRET", used_by: ["lab"] } };
    expect(await asOwner("DELETE", "/v1/secrets/LAB_SECRET")).toMatchObject(removed);
    expect(await asOwner("DELETE", "/v1/secrets/LAB_SECRET")).toMatchObject(removed);
    const failed = { status: "failed", reason: expect.stringContaining("LAB_SECRET") };
    expect(await printed("lab")).toMatchObject(failed);
    expect(await giveSecret(asDeveloper, "LAB_SECRET", "the developer's own")).toMatchObject({ status: 200 });
    expect(await printed("lab")).toMatchObject(failed);
    await workspace.activate("lab", version);
    expect(await printed("lab")).toMatchObject({ status: "succeeded", output: "19\n" });
  });
});

test("names of variables that influence a shell's start are refused in every spelling", async () => {
  await workspace.upload("greeter", "echo hello");
  await giveSecret(asOwner, "PROD", "the owner's");
  const [xtrace, ps4] = ["xtrace", '$(printenv TOKEN | rev > "$OUTPUT_DIR/found")+ '];
  const refused = await setVariables(asDeveloper, "greeter", {
    TOKEN: { secret: "PROD" },
    SHELLOPTS: xtrace,
    PS4: ps4,
    shellopts: xtrace,
    ＰＳ４: ps4,
    PЅ4: ps4,
  });
  expect(refused.status).toBe(400);
  const paths = refused.body.error.details.fields.map(({ path }: { path: string }) => path);
  expect([...new Set(paths)].toSorted()).toEqual(
    ["env.SHELLOPTS", "env.PS4", "env.shellopts", "env.ＰＳ４", "env.PЅ4"].toSorted(),
  );
  expect((await reviewed("greeter")).env).toEqual([]);
});

test("the script of a draft has the variables that its author set, and none of the owner's", async () => {
  const version = await workspace.upload("draft", "env");
  await setVariables(asOwner, "draft", { DB_URL: "postgres://app:the-password@db.example" });
  await setVariables(asDeveloper, "draft", { MODE: "the developer's" });
  await workspace.activate("draft", version);
  const { version: next } = await workspace.upload("draft", "env | sort");
  const run = await printed("draft", { version: next });
  expect(run).toMatchObject({ status: "succeeded", withheld_variables: ["DB_URL"] });
  expect(run.output).toContain("MODE=the developer's");
  expect(run.output).not.toContain("the-password");
});
