import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import type { EnvironmentRecord } from "../../../../domain/skills/environment.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { askAgain } from "../../../support/skills/ask-again.ts";
import { scriptSkill, uploadOf } from "../../../support/skills/skill-files.ts";

type Person = Claims & { tenant_id: string };
let plane: Awaited<ReturnType<typeof openControlPlane>>;
let sealed: string[];
let hasKey = true;
let places = 0;
let owner: Person;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  plane = await openControlPlane(() => ({
    secretSealer: {
      async seal({ name }, value) {
        if (!hasKey) throw new Refusal("workspace_incomplete", "No key yet");
        sealed.push(`${name}=${value}`);
        return `sealed ${value.length}`;
      },
    },
  }));
});
beforeEach(async () => {
  [sealed, hasKey] = [[], true];
  owner = await plane.workspace(`Secrets ${places++}`);
  [ann, bob] = [await plane.developer(owner.tenant_id), await plane.developer(owner.tenant_id)];
});
afterAll(() => plane.close());

const put = (as: Person, name: string, body: object = { value: "a token" }) =>
  plane.call("PUT", `/v1/secrets/${name}`, { as, body });
const list = async (as: Person) => (await plane.call("GET", "/v1/secrets", { as })).body.data;
const remove = (as: Person, name: string) => plane.call("DELETE", `/v1/secrets/${name}`, { as });

async function usedSkill(secret: string) {
  const { version, digest } = (await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(scriptSkill()) })).body;
  const env = { JIRA_TOKEN: { secret } };
  await plane.call("PATCH", "/v1/skills/weekly-report/env", { as: ann, body: { env } });
  await approve({ version, digest });
  return { version, digest };
}

/** Activates a version with the environment as it is now. */
async function approve(version: { version: number; digest: string }) {
  const { env_digest } = (await plane.call("GET", "/v1/skills/weekly-report/env", { as: owner })).body;
  return plane.call("POST", "/v1/skills/weekly-report/activate", { as: owner, body: { ...version, env_digest } });
}

test("a secret is shown with its name, creator and skills, and never with its value", async () => {
  expect(await put(ann, "JIRA", { value: "a token", description: "The robot's" })).toMatchObject({
    status: 200,
    body: { name: "JIRA", description: "The robot's", created_by: ann.sub, used_by: [] },
  });
  expect(sealed).toEqual(["JIRA=a token"]);
  await usedSkill("JIRA");
  const [secret] = await list(bob);
  expect(secret).toMatchObject({ name: "JIRA", used_by: ["weekly-report"] });
  expect(Object.keys(secret).toSorted()).toEqual([
    "created_at",
    "created_by",
    "description",
    "name",
    "set_by",
    "updated_at",
    "used_by",
  ]);
});

test("a secret's value can be set by the person who set it last and by the owner, who can also remove it while no active skill uses it", async () => {
  await put(ann, "JIRA");
  expect(await put(bob, "JIRA")).toMatchObject({ status: 403 });
  expect(await remove(bob, "JIRA")).toMatchObject({ status: 403 });
  expect(await put(ann, "JIRA", { value: "another" })).toMatchObject({ status: 200 });
  await usedSkill("JIRA");
  expect(await put(ann, "JIRA", { value: "proposed" })).toMatchObject({ status: 200 });
  expect((await remove(ann, "JIRA")).body.error.message).toContain("an active skill uses the secret: weekly-report");
  expect(sealed).toEqual(["JIRA=a token", "JIRA=another", "JIRA=proposed"]);
  expect(await put(owner, "JIRA", { value: "rotated" })).toMatchObject({
    ...{ status: 200, body: { created_by: ann.sub, set_by: owner.sub } },
  });
  expect(await put(ann, "JIRA", { value: "stolen" })).toMatchObject({ status: 403 });
  expect(await remove(owner, "JIRA")).toMatchObject({
    status: 200,
    body: { name: "JIRA", used_by: ["weekly-report"] },
  });
});

test("removing a secret removes its value from approvals, and does not affect the next secret of that name", async () => {
  const kept = () => plane.stores.skillApprovals.of(owner.tenant_id, "weekly-report");
  await put(ann, "JIRA");
  const version = await usedSkill("JIRA");
  expect((await kept())?.secrets.JIRA).toMatchObject({ set_by: ann.sub, sealed: "sealed 7" });
  await remove(owner, "JIRA");
  expect((await kept())?.secrets.JIRA).not.toHaveProperty("sealed");
  await put(ann, "JIRA", { value: "of another" });
  expect((await list(owner))[0]).toMatchObject({ used_by: ["weekly-report"], set_by: ann.sub });
  await approve(version);
  expect((await kept())?.secrets.JIRA).toMatchObject({ sealed: "sealed 10" });
  await plane.call("POST", "/v1/skills/weekly-report/deactivate", { as: owner });
  expect(await kept()).toBeUndefined();
  expect(await remove(ann, "JIRA")).toMatchObject({ status: 200, body: { used_by: [] } });
});

test("a value that the owner set is in no approval: each run reads the present value", async () => {
  await put(owner, "JIRA");
  await usedSkill("JIRA");
  const approval = await plane.stores.skillApprovals.of(owner.tenant_id, "weekly-report");
  expect(approval?.secrets.JIRA).not.toHaveProperty("sealed");
});

test.each([
  ["nothing", { value: "" }, "value: must not be empty"],
  ["more than 8 KB", { value: "x".repeat(8_193) }, "value: must have at most 8192 bytes"],
  ["a byte 0", { value: "a\0b" }, "value: must have no control characters but tabs and line ends"],
  ["no value", {}, "value: is required"],
  ["a description of two lines", { value: "x", description: "a\nb" }, "description: must be one line"],
])("a secret with %s is refused", async (_, body, message) => {
  expect((await put(ann, "JIRA", body)).body.error.message).toContain(message);
});

test("a secret with an invalid name is refused, and a workspace without a key is told to wait", async () => {
  expect(await put(ann, "jira-token")).toMatchObject({ status: 400 });
  hasKey = false;
  expect(await put(ann, "JIRA")).toMatchObject({ status: 409, headers: { "retry-after": "60" } });
  expect(await list(ann)).toEqual([]);
});

test("a workspace has at most 50 secrets, and 20 simultaneous creations create each secret once", async () => {
  const names = [...Array(20).keys()].map((place) => `S_${place}`);
  const made = await Promise.all(names.map((name) => askAgain(() => put(ann, name))));
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
  for (let place = 20; place < 50; place++) await put(ann, `S_${place}`);
  expect(await put(ann, "MORE")).toMatchObject({
    ...{ status: 409, body: { error: { details: { error_code: "secret_limit_reached" } } } },
  });
  expect(await put(ann, "S_3", { value: "new" })).toMatchObject({ status: 200 });
  await remove(ann, "S_4");
  expect(await put(ann, "MORE")).toMatchObject({ status: 200 });
  expect(await list(ann)).toHaveLength(50);
});

describe("an environment", () => {
  const change = (as: Person, env: object) =>
    plane.call("PATCH", "/v1/skills/weekly-report/env", { as, body: { env } });
  beforeEach(async () => {
    await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(scriptSkill()) });
  });

  test("a skill's environment is set, linked and removed by name, and shows values to the owner and to people who set them", async () => {
    await put(ann, "JIRA");
    await change(ann, { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: { secret: "JIRA" }, OLD: "x" });
    await change(ann, { OLD: null });
    const { body } = await change(owner, { DB_URL: "postgres://the-password@db" });
    const [byAnn, byOwner] = [ann, owner].map(({ sub }) => ({ set_by: sub, set_at: expect.any(String) }));
    const token = {
      name: "JIRA_TOKEN",
      secret: "JIRA",
      ...byAnn,
      secret_set_by: ann.sub,
      secret_set_at: byAnn?.set_at,
    };
    const url = { name: "JIRA_URL", value: "https://jira.example.com", ...byAnn };
    expect(body).toEqual({
      env: [{ name: "DB_URL", value: "postgres://the-password@db", ...byOwner }, token, url],
      env_digest: expect.stringMatching(/^sha256:/),
    });
    const seen = await plane.call("GET", "/v1/skills/weekly-report/env", { as: ann });
    expect(seen.body).toEqual({ env: [{ name: "DB_URL", ...byOwner }, token, url] });
    expect(await plane.call("GET", "/v1/skills/weekly-report/env", { as: bob })).toMatchObject({ status: 404 });
  });

  test("a changed environment of an active skill waits for the owner's activation, whoever changed it", async () => {
    await put(ann, "JIRA");
    const version = await usedSkill("JIRA");
    const kept = async () => (await plane.stores.skillApprovals.of(owner.tenant_id, "weekly-report"))?.env;
    const before = await kept();
    expect(await change(ann, { JIRA_URL: "https://evil.example" })).toMatchObject({ status: 200 });
    expect(await change(owner, { JIRA_URL: "https://jira.example.com" })).toMatchObject({ status: 200 });
    expect(await kept()).toEqual(before);
    await approve(version);
    expect(await kept()).toMatchObject({ JIRA_URL: { value: "https://jira.example.com", set_by: owner.sub } });
  });

  test("a skill's environment that the same person sets unchanged keeps its digest, and gets a new digest if another person sets it", async () => {
    const digestAfter = async (as: Person) => {
      await change(as, { MODE: "short" });
      return (await plane.call("GET", "/v1/skills/weekly-report/env", { as: owner })).body.env_digest;
    };
    const first = await digestAfter(ann);
    expect(await digestAfter(ann)).toBe(first);
    expect(await digestAfter(owner)).not.toBe(first);
  });

  test("a skill's environment cannot be activated with a name that has become reserved, or if it is too large for a row", async () => {
    const { version, digest } = (await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(scriptSkill()) }))
      .body;
    const set = { set_by: ann.sub, set_at: "2026-11-23T10:00:00.000Z" };
    const skill = await plane.stores.skills.get(owner.tenant_id, "weekly-report");
    if (!skill) throw new Error("no skill");
    const of = (env: EnvironmentRecord["env"], revision: number) =>
      plane.stores.skills.write({
        skill: { ...skill, revision },
        environment: { tenant_id: owner.tenant_id, name: "weekly-report", env },
        entry: auditEntry(
          { tenant_id: owner.tenant_id, actor: "test", action: "skill.env", target: "x" },
          { id: randomUUID(), now: Date.now() },
        ),
      });
    await of({ BASH_ENV: { value: "x", ...set } }, skill.revision + 1);
    expect(await approve({ version, digest })).toMatchObject({
      status: 400,
      body: { error: { details: { fields: [{ path: "env.BASH_ENV" }] } } },
    });
    const large = Object.fromEntries(
      [...Array(90).keys()].map((place) => [`V_${place}`, { value: "x".repeat(4_096), ...set }]),
    );
    await of(large, skill.revision + 2);
    expect((await approve({ version, digest })).body.error.message).toContain("env: its values");
  });

  test("a refusal of a skill's environment names each wrong variable, and each missing secret", async () => {
    const { body } = await change(ann, { PATH: "/evil", A: "a\nb", B: 1 });
    expect(body.error.details.fields.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      ...["env.A", "env.B", "env.PATH"],
    ]);
    const missing = await change(ann, { A: { secret: "NONE" } });
    expect(missing.body.error.message).toBe("env.A.secret: there is no secret NONE: make it first");
    const many = Object.fromEntries([...Array(51).keys()].map((place) => [`V_${place}`, "x"]));
    expect((await change(ann, many)).body.error.message).toContain("more than the 50 variables");
    expect((await change(ann, {})).body).toEqual({ env: [] });
  });

  test("a skill's environment is recorded in the audit trail with its names, without values", async () => {
    await put(ann, "JIRA");
    await change(ann, { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: { secret: "JIRA" } });
    const { data } = (await plane.call("GET", "/v1/audit", { as: owner })).body;
    expect(data.slice(0, 2)).toMatchObject([
      { action: "skill.env", after: { env: ["JIRA_TOKEN of JIRA", "JIRA_URL"], given: ["JIRA_TOKEN", "JIRA_URL"] } },
      { action: "secret.put", target: "JIRA" },
    ]);
    expect(JSON.stringify(data)).not.toMatch(/jira\.example|sealed/);
  });

  test("a skill's environment is removed with the skill, and a later skill of the same name does not get it", async () => {
    await change(ann, { A: "1" });
    await plane.call("DELETE", "/v1/skills/weekly-report", { as: ann });
    await plane.call("POST", "/v1/skills", { as: bob, body: uploadOf(scriptSkill()) });
    expect((await plane.call("GET", "/v1/skills/weekly-report/env", { as: bob })).body).toEqual({ env: [] });
  });
});
