// Skills as the skills client meets them: uploaded by a developer, activated by the owner, read by a colleague.
import { beforeAll, expect, test } from "@jest/globals";
import { consoleToken, skillsToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { naming, runMeter } from "../../support/accounting/accounting.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { instructions, scriptSkill, uploadOf } from "../../support/skills/skill-files.ts";

let stack: Stack;
let owner: Person;
let developer: Person;
let colleague: Person;

beforeAll(async () => {
  stack = await sharedStack();
  [owner, developer, colleague] = await Promise.all([
    signUp(stack, "owner@skills.example"),
    signUp(stack, "developer@skills.example"),
    signUp(stack, "colleague@skills.example"),
  ]);
  const { tenant_id } = await openWorkspace(stack, owner, "Skilled");
  await addMember(stack, tenant_id, developer);
  await addMember(stack, tenant_id, colleague);
});

type Options = { body?: unknown; headers?: Record<string, string> };

async function call(person: Person, method: string, path: string, { body, headers = {} }: Options = {}) {
  const authorization = `Bearer ${await skillsToken(stack, person)}`;
  const response = await fetch(stack.at("api") + path, {
    method,
    headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();

  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

test("a developer's skill can be used by a colleague once the owner has activated the reviewed digest", async () => {
  const uploaded = await call(developer, "POST", "/v1/skills", { body: uploadOf(scriptSkill()) });
  expect(uploaded).toMatchObject({ status: 200, body: { version: 1, is_new: true } });
  const list = (headers = {}) => call(colleague, "GET", "/v1/skills", { headers });
  const empty = await list();
  expect(empty.body).toEqual({ data: [] });

  const reviewed = await call(owner, "GET", "/v1/skills/weekly-report/versions/1");
  const { digest, files } = reviewed.body;
  const script = await call(owner, "GET", "/v1/skills/weekly-report/versions/1/files/scripts/report.py");
  expect(Buffer.from(script.body.content, "base64").toString()).toBe("print('hello')\n");
  expect(files).toHaveLength(2);
  const { env_digest } = (await call(owner, "GET", "/v1/skills/weekly-report/env")).body;
  const activation = { body: { version: 1, digest, env_digest } };
  expect(await call(developer, "POST", "/v1/skills/weekly-report/activate", activation)).toMatchObject({ status: 403 });
  expect(await call(owner, "POST", "/v1/skills/weekly-report/activate", activation)).toMatchObject({ status: 200 });

  const known = await list({ "if-none-match": empty.headers.get("etag") ?? "" });
  expect(known).toMatchObject({
    status: 200,
    body: { data: [{ name: "weekly-report", active_version: 1, digest }] },
  });
  const again = await list({ "if-none-match": known.headers.get("etag") ?? "" });
  expect(again).toMatchObject({ status: 304, body: undefined });
});

test("a skill of three megabytes can be uploaded, and downloaded unchanged", async () => {
  const part = (size: number) => new Uint8Array(size).map((_, place) => place % 251);
  const head = instructions("large");
  const files = { a: part(1024 * 1024), b: part(1024 * 1024), c: part(1024 * 1024 - Buffer.byteLength(head)) };
  const uploaded = await call(developer, "POST", "/v1/skills", { body: uploadOf({ "SKILL.md": head, ...files }) });
  expect(uploaded).toMatchObject({ status: 200 });
  const back = await call(developer, "GET", "/v1/skills/large/versions/1/files/a");
  expect(Buffer.from(back.body.content, "base64").equals(files.a)).toBe(true);
});

test("a purge removes all skills of the workspace, from the table and from the bucket", async () => {
  const ends = await signUp(stack, "ends@skills.example");
  const { tenant_id } = await openWorkspace(stack, ends, "Ends");
  const { version, digest } = (await call(ends, "POST", "/v1/skills", { body: uploadOf(scriptSkill("ends")) })).body;
  await call(ends, "PUT", "/v1/secrets/JIRA", { body: { value: "a token" } });
  const set = await call(ends, "PATCH", "/v1/skills/ends/env", { body: { env: { JIRA: { secret: "JIRA" } } } });
  const reviewed = { version, digest, env_digest: set.body.env_digest };
  expect(await call(ends, "POST", "/v1/skills/ends/activate", { body: reviewed })).toMatchObject({ status: 200 });
  const objects = () => stack.s3.list().filter(({ key }) => key.includes(tenant_id));
  expect(objects()).toHaveLength(1);
  const authorization = `Bearer ${await consoleToken(stack, ends)}`;
  await fetch(`${stack.at("api")}/v1/tenants/${tenant_id}`, { method: "DELETE", headers: { authorization } });
  stack.clock.advance(90 * 60_000);
  await runMeter(stack);
  stack.clock.advance(14 * 86_400_000);
  await stack.schedules.run("purge");
  await stack.queuePoller.idle();
  expect(objects()).toEqual([]);
  expect((await naming(stack, tenant_id)).filter((pk) => !pk.startsWith("AUDIT#"))).toEqual([]);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("removing a skill removes everything that was stored for it", async () => {
  await call(developer, "POST", "/v1/skills", { body: uploadOf({ "SKILL.md": instructions("goes") }) });
  const kept = () => stack.s3.list().length;
  const before = kept();
  expect(await call(developer, "DELETE", "/v1/skills/goes")).toMatchObject({ status: 204 });
  expect(kept()).toBe(before - 1);
});
