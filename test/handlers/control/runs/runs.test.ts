import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { scriptSkill, uploadOf } from "../../../support/skills/skill-files.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };
let owner: Person;
let ann: Person;
const path = "/v1/skills/report/runs";
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Runs");
  ann = await plane.developer(owner.tenant_id);
  await plane.call("POST", "/v1/skills", { as: ann, body: uploadOf(scriptSkill("report")) });
  for (const as of [ann, owner, ann]) await plane.call("POST", path, { as, body: { version: 1 } });
});
afterAll(() => plane.close());

const runs = (as: Person, query: Record<string, string> = {}) => plane.call("GET", path, { as, query });
const callers = async (as: Person, query: Record<string, string> = {}) =>
  (await runs(as, query)).body.data.map(({ caller_id }: { caller_id: string }) => caller_id);

test("the owner can list the runs of one person, and a developer only their own", async () => {
  expect(await callers(owner, { caller_id: ann.sub })).toEqual([ann.sub, ann.sub]);
  expect(await callers(ann)).toEqual([ann.sub, ann.sub]);
  expect(await callers(ann, { caller_id: owner.sub })).toEqual([]);
});

test("pages of a filtered list contain each run once", async () => {
  const asked = { caller_id: ann.sub, limit: "1" };
  const first = await runs(owner, asked);
  const second = await runs(owner, { ...asked, cursor: first.body.next_cursor });
  const ids = [first, second].flatMap(({ body }) => body.data.map(({ run_id }: { run_id: string }) => run_id));
  expect(new Set(ids).size).toBe(2);
});

test("the list of runs is also available as CSV", async () => {
  const { body } = await runs(owner, { format: "csv" });
  expect(body.split("\r\n")[0]).toBe(
    "run_id,skill,version,status,exit_code,truncated,queued_at,started_at,ended_at,seconds,reason,caller_id",
  );
  expect(body.trim().split("\r\n")).toHaveLength(4);
});

test("a run that was not started in time is listed as lost, not as queued", async () => {
  expect(await callers(owner, { status: "queued" })).toHaveLength(3);
  plane.db.clock.advance(3_600_000);
  expect(await callers(owner, { status: "queued" })).toEqual([]);
  expect(await callers(owner, { status: "lost" })).toHaveLength(3);
  expect(await runs(owner, { status: "done" })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("status: must be one of queued, running") } },
  });
});
