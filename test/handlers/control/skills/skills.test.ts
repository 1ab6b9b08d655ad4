import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { environmentDigest } from "../../../../domain/skills/approval.ts";
import { openControlPlane, skillsClient } from "../../../support/control-plane.ts";
import { askAgain } from "../../../support/skills/ask-again.ts";
import { instructions, scriptSkill, uploadOf } from "../../../support/skills/skill-files.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };
let owner: Person;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Skills");
  [ann, bob] = [await plane.developer(owner.tenant_id), await plane.developer(owner.tenant_id)];
});
afterAll(() => plane.close());

const upload = async (as: Person, files: Record<string, string | Uint8Array>, more = {}) => {
  const reply = await askAgain(() => plane.call("POST", "/v1/skills", { as, body: uploadOf(files, more) }));
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body;
};
const activate = (as: Person, name: string, { version, digest }: { version: number; digest: string }) =>
  plane.call("POST", `/v1/skills/${name}/activate`, { as, body: { version, digest, env_digest: withoutVariables } });
const withoutVariables = environmentDigest({}, []);
const get = (as: Person, path: string) => plane.call("GET", `/v1/skills${path}`, { as });

test("uploading a skill creates a version with its manifest, and the same content again is the same version", async () => {
  const first = await upload(ann, scriptSkill("twice"), { change: "The first one" });
  expect(first).toMatchObject({
    ...{ name: "twice", version: 1, kind: "script", is_new: true, author: ann.sub, change: "The first one" },
    run: { path: "scripts/report.py", network: "none", timeout_seconds: 60 },
  });
  expect(first.files.map(({ path }: { path: string }) => path)).toEqual(["SKILL.md", "scripts/report.py"]);
  expect(await upload(ann, scriptSkill("twice"))).toEqual({ ...first, is_new: false });
  expect(await upload(bob, scriptSkill("twice", "print(2)"))).toMatchObject({ version: 2, is_new: true });
  expect((await get(owner, "/twice")).body.versions).toHaveLength(2);
});

test("a file of a skill is downloaded unchanged, by a path with slashes", async () => {
  const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
  await upload(ann, { "SKILL.md": instructions("files"), "assets/two words/ä.png": bytes });
  const path = "/files/versions/1/files/assets";
  const plain = await get(ann, `${path}/two%20words/%C3%A4.png`);
  expect(plain.body).toMatchObject({ path: "assets/two words/ä.png", size: 6 });
  expect(Buffer.from(plain.body.content, "base64")).toEqual(Buffer.from(bytes));
  expect((await get(ann, `${path}%2Ftwo%20words%2F%C3%A4.png`)).body).toEqual(plain.body);
  for (const other of [`${path}/none`, "/files/versions/1/files", "/files/versions/2/files/SKILL.md"]) {
    expect(await get(ann, other)).toMatchObject({ status: 404 });
  }
});

test("a skill's folder that breaks a rule is refused with each file and reason, and nothing is stored", async () => {
  const files = { "SKILL.md": "# No head\n", "../up": "", "a.pyc": "" };
  const reply = await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(files) });
  expect(reply).toMatchObject({ status: 400, body: { error: { details: { error_code: "skill_invalid" } } } });
  const paths = reply.body.error.details.fields.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(["../up", "a.pyc", "SKILL.md"]);
});

test("a skill's content that is not base64 is named by its place in the request", async () => {
  const body = { files: [{ path: "SKILL.md", content: "not base64!" }] };
  const reply = await plane.call("POST", "/v1/skills", { as: ann, body });
  expect(reply).toMatchObject({ status: 400, body: { error: { details: { error_code: "invalid_request" } } } });
  expect(reply.body.error.message).toBe("files.0.content: must be base64");
});

test("a skill of three megabytes is accepted, and one byte more is refused with the limit", async () => {
  const part = (size: number) => new Uint8Array(size).fill(7);
  const head = instructions("large");
  const rest = 3 * 1024 * 1024 - 2 * 1024 * 1024 - Buffer.byteLength(head);
  const files = (more: number) => ({
    "SKILL.md": head,
    "a.bin": part(1024 * 1024),
    "b.bin": part(1024 * 1024),
    "c.bin": part(rest + more),
  });
  const tooMuch = await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(files(1)) });
  expect(tooMuch.body.error.message).toBe("the folder: has 3145729 bytes, at most 3145728 are allowed");
  expect(await upload(ann, files(0))).toMatchObject({ version: 1 });
});

describe("an activation", () => {
  test("activating a skill gives members the reviewed version, and activating an older version is the rollback", async () => {
    const [first, second] = [
      await upload(ann, scriptSkill("rolls", "print(1)")),
      await upload(ann, scriptSkill("rolls", "print(2)")),
    ];
    expect(await get(bob, "/rolls")).toMatchObject({ status: 404 });
    expect(await activate(owner, "rolls", second)).toMatchObject({
      status: 200,
      body: { status: "active", active_version: 2, digest: second.digest, activated_by: owner.sub },
    });
    const seen = await get(bob, "/rolls");
    expect(seen.body).toMatchObject({ active_version: 2, versions: [{ version: 2 }] });
    expect(await get(bob, "/rolls/versions/1")).toMatchObject({ status: 404 });
    expect((await activate(owner, "rolls", first)).body).toMatchObject({ active_version: 1 });
    expect((await get(bob, "/rolls")).body.versions).toHaveLength(1);
  });

  test("activating a skill with another digest is refused, and only the owner may activate", async () => {
    const version = await upload(ann, scriptSkill("stale"));
    const digest = `sha256:${"0".repeat(64)}`;
    expect(await activate(owner, "stale", { version: 1, digest })).toMatchObject({
      status: 409,
      body: { error: { details: { error_code: "digest_mismatch" } } },
    });
    expect(await activate(ann, "stale", version)).toMatchObject({ status: 403 });
    expect((await get(owner, "/stale")).body.status).toBe("inactive");
  });

  test("an active skill stays active after a new upload, whose text members do not see", async () => {
    const first = await upload(ann, { "SKILL.md": instructions("calm") });
    await activate(owner, "calm", first);
    const words = instructions("calm").replace("weekly", "daily");
    await upload(ann, { "SKILL.md": words });
    expect((await get(bob, "/calm")).body).toMatchObject({
      ...{ active_version: 1, latest_version: 2, description: "Writes the weekly report" },
    });
    const off = await plane.call("POST", "/v1/skills/calm/deactivate", { as: owner });
    expect(off.body).toMatchObject({ status: "inactive", description: "Writes the daily report" });
    expect(off.body.active_version).toBeUndefined();
    expect(await get(bob, "/calm")).toMatchObject({ status: 404 });
  });
});

test("20 simultaneous uploads and 20 activations leave versions without a gap, and one of them active", async () => {
  const first = await upload(ann, scriptSkill("crowd", "print(0)"));
  const uploads = Array.from({ length: 20 }, (_, place) => upload(ann, scriptSkill("crowd", `print(${place + 1})`)));
  const activations = Array.from({ length: 20 }, () => askAgain(() => activate(owner, "crowd", first)));
  const versions = (await Promise.all(uploads)).map(({ version }) => version);
  expect(versions.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  expect(new Set((await Promise.all(activations)).map(({ status }) => status))).toEqual(new Set([200]));
  const { body } = await get(owner, "/crowd");
  expect(body).toMatchObject({ active_version: 1, latest_version: 21, status: "active" });
  expect(body.versions.map(({ version }: { version: number }) => version)).toEqual(
    Array.from({ length: 21 }, (_, n) => n + 1),
  );
});

test("the 51st version of a skill replaces the oldest that is not active", async () => {
  const first = await upload(ann, scriptSkill("many", "print(1)"));
  await activate(owner, "many", first);
  for (let version = 2; version <= 51; version++) await upload(ann, scriptSkill("many", `print(${version})`));
  const { versions } = (await get(owner, "/many")).body;
  expect(versions).toHaveLength(50);
  expect(versions.slice(0, 2).map(({ version }: { version: number }) => version)).toEqual([1, 3]);
  expect(await get(owner, "/many/versions/2")).toMatchObject({ status: 404 });
  // What is gone may come again, as a version of its own.
  expect(await upload(ann, scriptSkill("many", "print(2)"))).toMatchObject({ version: 52, is_new: true });
});

test("many uploads of a skill replace versions of their author, and not those of the owner", async () => {
  const owned = [
    await upload(owner, scriptSkill("flooded", "print('a')")),
    await upload(owner, scriptSkill("flooded", "print('b')")),
  ];
  for (let place = 1; place <= 52; place++) await upload(ann, scriptSkill("flooded", `print(${place})`));
  const numbers = (await get(owner, "/flooded")).body.versions.map(({ version }: { version: number }) => version);
  expect(numbers).toHaveLength(50);
  expect(numbers.slice(0, 3)).toEqual([...owned.map(({ version }) => version), 7]);
});

describe("the list", () => {
  test("the list of skills contains what the caller may see, and answers 304 if it is unchanged", async () => {
    const other = await plane.workspace("Lists");
    const [carl, dora] = [await plane.developer(other.tenant_id), await plane.developer(other.tenant_id)];
    const version = await upload(carl, scriptSkill("one"));
    await upload(dora, scriptSkill("two"));
    await activate(other, "one", version);
    const list = async (as: Person, query = {}) => plane.call("GET", "/v1/skills", { as, query });
    const names = async (as: Person, query = {}) =>
      (await list(as, query)).body.data.map(({ name }: { name: string }) => name);
    expect(await names(other)).toEqual(["one", "two"]);
    expect(await names(carl)).toEqual(["one"]);
    expect(await names(dora)).toEqual(["one", "two"]);
    expect(await names(dora, { status: "active" })).toEqual(["one"]);

    const { etag } = (await list(carl)).headers as { etag: string };
    const again = () => plane.call("GET", "/v1/skills", { as: carl, headers: { "if-none-match": etag } });
    expect(await again()).toMatchObject({ status: 304, headers: { etag } });
    await plane.call("POST", "/v1/skills/one/deactivate", { as: other });
    expect(await again()).toMatchObject({ status: 200 });
  });
});

describe("a removal", () => {
  test("a skill can be removed by its author until the first activation, then by the owner, and the removal can be repeated", async () => {
    const remove = (as: Person, name: string) => plane.call("DELETE", `/v1/skills/${name}`, { as });
    await upload(ann, scriptSkill("goes"));
    expect(await remove(bob, "goes")).toMatchObject({ status: 404 });
    expect([await remove(ann, "goes"), await remove(ann, "goes")]).toMatchObject([{ status: 204 }, { status: 204 }]);
    expect(await get(ann, "/goes")).toMatchObject({ status: 404 });
    expect(await remove(ann, "never-was")).toMatchObject({ status: 404 });

    // The number goes on: a run names its version without doubt.
    const again = await upload(ann, scriptSkill("goes"));
    expect(again).toMatchObject({ version: 2, is_new: true });
    await activate(owner, "goes", again);
    expect(await remove(ann, "goes")).toMatchObject({ status: 403 });
    expect(await remove(owner, "goes")).toMatchObject({ status: 204 });
  });
});

test("a workspace has at most a hundred skills, and removing one makes room", async () => {
  const full = await plane.workspace("Full");
  for (let place = 1; place <= 100; place++) await upload(full, { "SKILL.md": instructions(`s-${place}`) });
  const more = () =>
    plane.call("POST", "/v1/skills", { as: full, body: uploadOf({ "SKILL.md": instructions("more") }) });
  expect(await more()).toMatchObject({
    status: 409,
    body: { error: { details: { error_code: "skill_limit_reached" } } },
  });
  await plane.call("DELETE", "/v1/skills/s-7", { as: full });
  expect(await more()).toMatchObject({ status: 200 });

  const list = (await plane.call("GET", "/v1/skills", { as: full })).body.data;
  for (const { name } of list.slice(0, 50)) {
    const { versions } = (await get(full, `/${name}`)).body;
    expect(await activate(full, name, versions[0])).toMatchObject({ status: 200 });
  }
  const [{ name }] = list.slice(50);
  const { versions } = (await get(full, `/${name}`)).body;
  expect(await activate(full, name, versions[0])).toMatchObject({ status: 409 });
});

describe("a token of the skills client", () => {
  const scoped = (person: Person, scope: string) => ({ ...person, client_id: skillsClient, scope });

  test("a token of the skills client with only the scope for using skills can read and change nothing", async () => {
    const version = await upload(ann, scriptSkill("scoped"));
    const reader = scoped(owner, "platform/skills:invoke");
    expect(await get(reader, "/scoped/versions/1")).toMatchObject({ status: 200 });
    expect(await activate(reader, "scoped", version)).toMatchObject({ status: 403 });
    expect(await activate(scoped(owner, "platform/skills:rw"), "scoped", version)).toMatchObject({ status: 200 });
  });

  test("a token of the skills client is accepted only by its own routes and the choice of a workspace", async () => {
    const manager = scoped(owner, "platform/skills:rw platform/skills:invoke");
    expect(await plane.call("GET", "/v1/me", { as: manager })).toMatchObject({ status: 200 });
    const path = `/v1/tenants/${owner.tenant_id}`;
    expect(await plane.call("POST", `${path}/activate`, { as: manager })).toMatchObject({ status: 200 });
    for (const other of ["/v1/users", "/v1/usage", "/v1/keys", "/v1/tenants", path]) {
      expect(await plane.call("GET", other, { as: manager })).toMatchObject({ status: 403 });
    }
  });
});

test("the audit trail says who uploaded, activated and removed which digest of a skill", async () => {
  const audited = await plane.workspace("Audited");
  const version = await upload(audited, scriptSkill("told"));
  await activate(audited, "told", version);
  await plane.call("DELETE", "/v1/skills/told", { as: audited });
  const { data } = (await plane.call("GET", "/v1/audit", { as: audited })).body;
  expect(data.slice(0, 3)).toMatchObject([
    { action: "skill.delete", target: "told", before: { digest: version.digest } },
    { action: "skill.activate", target: "told", after: { digest: version.digest, active_version: 1 } },
    { action: "skill.upload", target: "told", after: { digest: version.digest, latest_version: 1 } },
  ]);
});
