// Who may do what with a skill, by role, by the token's scope and by the skill's state: each route with each combination, and what it writes.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { environmentDigest } from "../../../../domain/skills/approval.ts";
import { consoleClient, helperClient, openControlPlane, skillsClient } from "../../../support/control-plane.ts";
import { scriptSkill, uploadOf } from "../../../support/skills/skill-files.ts";

type Person = Claims & { tenant_id: string };
let plane: Awaited<ReturnType<typeof openControlPlane>>;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

/** `author` made the skill and its first version, `second` its second one; `colleague` made nothing of it, `stranger` owns another workspace. */
const people = ["owner", "author", "second", "colleague", "stranger"] as const;
type Who = (typeof people)[number];

/** `draft` was never active; `active` has its first version active, and a second one that nobody has reviewed; `off` was deactivated since. */
const states = ["draft", "active", "off", "removed"] as const;
type State = (typeof states)[number];

const tokens = {
  manage: { client_id: consoleClient, scope: "platform/control:manage" },
  rw: { client_id: skillsClient, scope: "platform/skills:rw" },
  invoke: { client_id: skillsClient, scope: "platform/skills:invoke" },
  // What the skills client's own record does not have, no claim of it gives.
  forged: { client_id: skillsClient, scope: "platform/control:manage platform/proxy:invoke" },
  assistant: { client_id: helperClient, scope: "platform/control:read platform/proxy:invoke platform/skills:rw" },
};
type Token = keyof typeof tokens;

const everybody = new Set<Who>(["owner", "author", "second", "colleague"]);
const authors = new Set<Who>(["owner", "author", "second"]);
const own = new Set<Who>(["owner", "author"]);
const owner = new Set<Who>(["owner"]);

type Act = {
  method: string;
  path: string;
  body?: (digest: string) => object;
  reads?: true;
  may: Record<State, ReadonlySet<Who>>;
};

const nobody = new Set<Who>();
const withoutVariables = environmentDigest({}, []);
const acts: Record<string, Act> = {
  "reads the skill": {
    ...{ method: "GET", path: "", reads: true },
    may: { draft: authors, active: everybody, off: authors, removed: nobody },
  },
  "reads the first version": {
    ...{ method: "GET", path: "/versions/1", reads: true },
    may: { draft: own, active: everybody, off: own, removed: nobody },
  },
  "reads the second version": {
    ...{ method: "GET", path: "/versions/2", reads: true },
    may: {
      draft: new Set<Who>(["owner", "second"]),
      active: new Set<Who>(["owner", "second"]),
      off: new Set<Who>(["owner", "second"]),
      removed: nobody,
    },
  },
  "reads a file of the first version": {
    ...{ method: "GET", path: "/versions/1/files/scripts/report.py", reads: true },
    may: { draft: own, active: everybody, off: own, removed: nobody },
  },
  "activates the second version": {
    ...{ method: "POST", path: "/activate", body: (digest) => ({ version: 2, digest, env_digest: withoutVariables }) },
    may: { draft: owner, active: owner, off: owner, removed: nobody },
  },
  "deactivates it": {
    method: "POST",
    path: "/deactivate",
    may: { draft: owner, active: owner, off: owner, removed: nobody },
  },
  "reads its environment": {
    ...{ method: "GET", path: "/env" },
    may: { draft: own, active: own, off: own, removed: nobody },
  },
  "proposes variables": {
    ...{ method: "PATCH", path: "/env", body: () => ({ env: { URL: "https://evil.example" } }) },
    may: { draft: own, active: own, off: own, removed: nobody },
  },
  // The mark of a removed skill lets its authors repeat the removal.
  "removes it": { method: "DELETE", path: "", may: { draft: own, active: owner, off: owner, removed: authors } },
};

let places = 0;
/** A workspace with one skill in the state. */
async function world(state: State) {
  const boss = await plane.workspace(`Skills ${places++}`);
  const [author, second, colleague] = await Promise.all(
    [1, 2, 3].map(() => plane.developer(boss.tenant_id)) as [Promise<Person>, Promise<Person>, Promise<Person>],
  );
  const stranger = await plane.workspace(`Others ${places++}`);
  const upload = async (as: Person, script: string) =>
    (await plane.call("POST", "/v1/skills", { as, body: uploadOf(scriptSkill("weekly-report", script)) })).body;
  const [first, next] = [await upload(author, "print(1)"), await upload(second, "print(2)")];
  const body = { version: 1, digest: first.digest, env_digest: withoutVariables };
  if (state === "active" || state === "off")
    await plane.call("POST", "/v1/skills/weekly-report/activate", { as: boss, body });
  if (state === "off") await plane.call("POST", "/v1/skills/weekly-report/deactivate", { as: boss });
  if (state === "removed") await plane.call("DELETE", "/v1/skills/weekly-report", { as: boss });
  return { persons: { owner: boss, author, second, colleague, stranger }, digest: next.digest as string };
}

const opens = ({ reads }: Act, token: Token) =>
  token === "manage" || token === "rw" || (token === "invoke" && reads === true);

describe.each(Object.entries(acts))("%s", (_, act) => {
  test.each(states)("a call on a skill that is %s is allowed by role and scope", async (state) => {
    const found: Record<string, boolean> = {};
    const ruled: Record<string, boolean> = {};
    let place: Awaited<ReturnType<typeof world>> | undefined;
    for (const who of people) {
      for (const token of Object.keys(tokens) as Token[]) {
        const cell = `${who}, ${token}`;
        place ??= await world(state);
        const { persons, digest } = place;
        const before = await plane.call("GET", "/v1/skills/weekly-report", { as: persons.owner });
        const asked = { as: { ...persons[who], ...tokens[token] }, ...(act.body && { body: act.body(digest) }) };
        const { status } = await plane.call(act.method, `/v1/skills/weekly-report${act.path}`, asked);
        expect({ cell, is: [200, 204, 403, 404].includes(status) }).toEqual({ cell, is: true });
        ruled[cell] = opens(act, token) && act.may[state].has(who);
        found[cell] = status < 300;
        // What was changed is another state: the next one finds a skill of its own.
        if (status < 300 && act.method !== "GET") place = undefined;
        if (status < 300) continue;
        // Who may not has changed nothing.
        const after = await plane.call("GET", "/v1/skills/weekly-report", { as: persons.owner });
        expect(after.body.error ?? after.body).toEqual(
          before.body.error ? expect.objectContaining({ type: "not_found_error" }) : before.body,
        );
      }
    }
    expect(found).toEqual(ruled);
  });
});

test("a member of two workspaces sees the skills of the workspace that the token names", async () => {
  const [one, other] = [await world("active"), await world("draft")];
  const { tenant_id } = other.persons.owner;
  await plane.developer(tenant_id, one.persons.colleague.sub);
  const skills = async (tenantId: string) =>
    (await plane.call("GET", "/v1/skills", { as: { ...one.persons.colleague, tenant_id: tenantId } })).body.data;
  expect(await skills(one.persons.owner.tenant_id)).toHaveLength(1);
  expect(await skills(tenant_id)).toEqual([]);
});
