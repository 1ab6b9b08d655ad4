// Access to every route: it is called by every kind of person, in a workspace of every status, and with credentials that are refused.
// The tables below say, without asking the code, whom each access rule lets in. A route whose own rules say more has its line in `exceptionsOf`.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import { environmentDigest } from "../../../domain/skills/approval.ts";
import { routes } from "../../../handlers/control/nouns.ts";
import { type Route, successStatus } from "../../../handlers/control/routing/route.ts";
import { refusalsOf } from "../../../handlers/control/routing/route-refusals.ts";
import { helperClaims, helperWriteClient, skillsClient } from "../../support/control-plane.ts";
import {
  type NotLetIn,
  notLetIn,
  openAccessMatrix,
  type Person,
  persons,
  type Status,
  statuses,
  type World,
} from "../../support/people/access-matrix.ts";

import { few } from "../../support/sizes.ts";
import { instructions, uploadOf } from "../../support/skills/skill-files.ts";

const may = "may";
type Outcome = typeof may | `${number} ${string}`;
const noRole: Outcome = "403 role_missing";
const notThere: Outcome = "404 not_found";
const closed: Outcome = "403 tenant_suspended";
const noWorkspace: Outcome = "404 no_active_tenant";

const nobody = Object.fromEntries(persons.map((person) => [person, noRole])) as Record<Person, Outcome>;
const outside = { newcomer: noWorkspace, admin: noWorkspace, support: noWorkspace };
/** To others the workspace does not exist; its members learn that the route is its owner's. */
const noOwner = {
  ...(Object.fromEntries(persons.map((person) => [person, notThere])) as Record<Person, Outcome>),
  developer: noRole,
  colleague: noRole,
};

/**
 * The people whose calls each access rule allows in an active workspace. `elsewhere` owns another workspace and works there. docs/api.md shows the rule
 * of each route, so a route that changes its rule changes that page, too.
 */
const audiences = {
  signed_in: Object.fromEntries(persons.map((person) => [person, may])) as Record<Person, Outcome>,
  member: { ...nobody, ...outside, owner: may, developer: may, colleague: may, elsewhere: may },
  owner: { ...nobody, ...outside, owner: may, elsewhere: may },
  tenant_owner: { ...noOwner, owner: may },
  tenant_manager: { ...noOwner, owner: may, admin: may },
  tenant_reader: { ...noOwner, owner: may, admin: may, support: may },
  platform_admin: { ...nobody, admin: may },
  platform_reader: { ...nobody, admin: may, support: may },
  /** Of a route that is open to anyone signed in, whose use case asks for a membership in the workspace that the path names. */
  tenant_member: { ...noOwner, owner: may, developer: may, colleague: may },
} satisfies Record<AccessRule | "tenant_member", Record<Person, Outcome>>;

const audienceOf = (route: Route): keyof typeof audiences =>
  nameOf(route) === "POST /v1/tenants/{id}/activate" ? "tenant_member" : route.access;

/** Changes that stay open to the people of a suspended workspace: what takes access away, billing and deletion. */
const staysOpen: Record<string, Status> = {
  "POST /v1/tenants/{id}/activate": "suspended",
  "DELETE /v1/tenants/{id}": "deleted",
  "DELETE /v1/keys/{key_id}": "suspended",
  "DELETE /v1/users/{user_id}": "suspended",
  "PUT /v1/grants/{dev_sub}": "suspended",
  "DELETE /v1/grants/{dev_sub}": "suspended",
  "PATCH /v1/billing": "suspended",
  "POST /v1/billing/setup": "suspended",
  "POST /v1/billing/portal": "suspended",
  "POST /v1/skills/{name}/deactivate": "suspended",
  "DELETE /v1/skills/{name}": "suspended",
  "DELETE /v1/secrets/{name}": "suspended",
};

const members: readonly Person[] = ["owner", "developer", "colleague"];

/** The expected answer for a person in one status of the workspace, or in each status in which its people pass. */
type Exceptions = Partial<Record<Person | `${Person}, ${Status}`, Outcome>>;

const notInvited: Exceptions = {
  ...{ intruder: notThere, elsewhere: notThere, newcomer: notThere, admin: notThere, support: notThere },
};

/** What the own rules of a route say beside its access rule. */
const exceptionsOf: Record<string, Exceptions> = {
  // Accepting is repeated without harm by who is in already.
  "POST /v1/me/invitations/{id}/accept": {
    ...notInvited,
    ...{ "owner, deleted": notThere, "developer, deleted": notThere, "colleague, deleted": notThere },
    ...{ removed: notThere, "invited, deleted": notThere },
  },
  "POST /v1/me/invitations/{id}/decline": {
    ...notInvited,
    ...{ owner: "409 already_member", developer: "409 already_member", colleague: "409 already_member" },
  },
  "GET /v1/tenants/my": {
    ...{
      removed: noWorkspace,
      invited: noWorkspace,
      intruder: noWorkspace,
      newcomer: noWorkspace,
      admin: noWorkspace,
      support: noWorkspace,
    },
    ...{ "owner, suspended": closed, "developer, suspended": closed, "colleague, suspended": closed },
    ...{ "owner, deleted": noWorkspace, "developer, deleted": noWorkspace, "colleague, deleted": noWorkspace },
  },
  "PATCH /v1/tenants/{id}": { "admin, deleted": closed },
  "POST /v1/tenants/{id}/suspend": { "admin, deleted": "409 workspace_deleted" },
  "POST /v1/tenants/{id}/resume": { "admin, deleted": "409 workspace_deleted" },
  "DELETE /v1/tenants/{id}/purge": {
    "admin, active": "409 workspace_not_deleted",
    "admin, suspended": "409 workspace_not_deleted",
  },
  // A developer may see nobody but themselves.
  "GET /v1/users/{user_id}": { developer: noRole, colleague: noRole },
  // A developer may remove nobody but themselves.
  "DELETE /v1/users/{user_id}": { developer: noRole, colleague: noRole },
  "GET /v1/grants/{dev_sub}": { colleague: noRole },
  // The example raises the grant, which a suspended workspace does not allow.
  "PUT /v1/grants/{dev_sub}": { "owner, suspended": closed },
  "GET /v1/catalog": { colleague: "403 grant_missing" },
  "GET /v1/keys/{key_id}": { colleague: notThere },
  "POST /v1/keys": { colleague: "403 grant_missing" },
  "PATCH /v1/keys/{key_id}": { colleague: notThere },
  "POST /v1/keys/{key_id}/rotate": { colleague: notThere },
  "DELETE /v1/keys/{key_id}": { colleague: notThere },
  // The skill is the developer's, and inactive.
  "GET /v1/skills/{name}": { colleague: notThere },
  "GET /v1/skills/{name}/versions/{version}": { colleague: notThere },
  "GET /v1/skills/{name}/versions/{version}/files/{path}": { colleague: notThere },
  "DELETE /v1/skills/{name}": { colleague: notThere },
  "GET /v1/skills/{name}/env": { colleague: notThere },
  "PATCH /v1/skills/{name}/env": { colleague: notThere },
  // So is the run.
  "POST /v1/skills/{name}/runs": { colleague: notThere },
  "GET /v1/skills/{name}/runs": { colleague: notThere },
  "GET /v1/skills/{name}/runs/{run_id}": { colleague: notThere },
  "GET /v1/skills/{name}/runs/{run_id}/files/{n}": { colleague: notThere },
  // The secret is the developer's; who works elsewhere makes one of that name there.
  "PUT /v1/secrets/{name}": {
    colleague: noRole,
    "elsewhere, active": may,
    "elsewhere, suspended": may,
    "elsewhere, deleted": may,
  },
  "DELETE /v1/secrets/{name}": { colleague: noRole },
};

/** What the token opens that coding assistants are given. Each other route refuses it, whoever holds it. */
const openToAssistants = [
  ...["GET /v1/me", "GET /v1/usage", "GET /v1/tenants", "GET /v1/tenants/my", "GET /v1/tenants/{id}"],
  ...["POST /v1/tenants/{id}/activate", "GET /v1/catalog", "GET /v1/calls"],
];

/** What tokens of the skills client open: those that only use skills, and those that manage them, which read as well and run nothing. */
const openToSkills = {
  "platform/skills:invoke": [
    ...["GET /v1/me", "POST /v1/tenants/{id}/activate", "GET /v1/skills", "GET /v1/skills/{name}"],
    "GET /v1/skills/{name}/versions/{version}",
    "GET /v1/skills/{name}/versions/{version}/files/{path}",
    ...["POST /v1/skills/{name}/runs", "GET /v1/skills/{name}/runs", "GET /v1/skills/{name}/runs/{run_id}"],
    "GET /v1/skills/{name}/runs/{run_id}/files/{n}",
  ],
  "platform/skills:rw": [
    ...["POST /v1/skills", "POST /v1/skills/{name}/activate", "POST /v1/skills/{name}/deactivate"],
    ...["DELETE /v1/skills/{name}", "GET /v1/skills/{name}/env", "PATCH /v1/skills/{name}/env"],
    ...["GET /v1/secrets", "PUT /v1/secrets/{name}", "DELETE /v1/secrets/{name}"],
  ],
};

/** The tokens that assistants may hold: one with a scope that its app client does not have opens no more than the usual one. */
const assistants = {
  usual: helperClaims,
  wider: { ...helperClaims, scope: `platform/control:manage ${helperClaims.scope}` },
};

/** Routes that need a sign-in of the last ten minutes. */
const forRecentSignIn = ["DELETE /v1/tenants/{id}", "DELETE /v1/tenants/{id}/purge"];

/** Routes whose example can be carried out only once. */
const bodies: Record<string, (things: Record<string, string>) => object> = {
  "POST /v1/tenants": () => ({ name: `New ${fresh++}` }),
  "POST /v1/mcp-servers": () => ({
    name: `pets-${fresh++}`,
    target_mode: "mcp_server",
    endpoint: "https://mcp.example.com/mcp",
  }),
  "POST /v1/skills/{name}/runs": () => ({ version: 1 }),
  "POST /v1/skills": () => uploadOf({ "SKILL.md": instructions(`new-${fresh++}`) }),
  "POST /v1/skills/{name}/activate": ({ digest = "" }) => ({
    version: 1,
    digest,
    env_digest: environmentDigest({}, []),
  }),
  "PATCH /v1/skills/{name}/env": ({ secret }) => ({ env: { JIRA_TOKEN: { secret } } }),
};
let fresh = 0;

/** Another thing than a parameter's name says, e.g. `{ user_id: "invited_id" }` where nobody else will do. */
const otherThings: Record<string, Record<string, string>> = {
  "POST /v1/users/{user_id}/resend": { user_id: "invited_id" },
  "PUT /v1/secrets/{name}": { name: "secret" },
  "DELETE /v1/secrets/{name}": { name: "secret" },
};

/** What the platform's own people read is told before they read it. */
const toldReads = ["", "/users", "/usage", "/audit"].map((rest) => `GET /v1/tenants/{id}${rest}`);

/** Calls whose work is recorded later. */
const withoutEntry = [
  "POST /v1/me/sign-out-everywhere",
  "DELETE /v1/tenants/{id}/purge",
  // Changes on the provider's page arrive later as events of the provider.
  "POST /v1/billing/setup",
  "POST /v1/billing/portal",
  // The function `agentcore` records what it does.
  "POST /v1/mcp-gateway",
  "POST /v1/mcp-gateway/rotate-secret",
  "DELETE /v1/mcp-gateway",
  // They ask, and change nothing that people decide.
  "POST /v1/mcp-servers/{server_id}/verify",
  "POST /v1/mcp-specs",
  "POST /v1/mcp-specs/check",
  // A run is a record of its own.
  "POST /v1/skills/{name}/runs",
];

const all = Object.values(routes).flatMap((noun) => Object.values<Route>(noun));
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

function expected(route: Route, person: Person, status: Status): Outcome {
  const name = nameOf(route);
  const audience = audienceOf(route);
  const exceptions = exceptionsOf[name] ?? {};
  const inStatus = exceptions[`${person}, ${status}`];
  if (inStatus) return inStatus;
  const outcome = exceptions[person] ?? audiences[audience][person];
  const isOfToken = audience === "member" || audience === "owner";
  // The owner of another workspace does not find anything of this one.
  if (person === "elsewhere") return isOfToken && route.path.includes("{") ? notThere : outcome;
  const isPeoples = isOfToken || outcome === may;
  if (!members.includes(person) || !isPeoples || audience === "signed_in") return outcome;
  const openUntil = staysOpen[name] ?? (route.method === "GET" ? "suspended" : "active");
  return statuses.indexOf(status) <= statuses.indexOf(openUntil) ? outcome : closed;
}

/** The answer in an active workspace where an administrator is a person like all others. */
function inRole(route: Route, person: Person): string {
  const rule = expected(route, person === "admin" || person === "support" ? "newcomer" : person, "active");
  return rule === may ? String(successStatus(route)) : rule;
}

let matrix: Awaited<ReturnType<typeof openAccessMatrix>>;
/** For calls that change nothing. */
let shared: Record<Status, World>;
beforeAll(async () => {
  matrix = await openAccessMatrix();
  const worlds: [Status, World][] = [];
  for (const status of statuses) worlds.push([status, await matrix.world(status)]);
  shared = Object.fromEntries(worlds) as Record<Status, World>;
});
afterAll(() => matrix.close());

function requestOf(route: Route, things: Record<string, string>): [method: string, path: string, body?: unknown] {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => {
    const thing = things[otherThings[nameOf(route)]?.[name] ?? name];
    if (thing === undefined) throw new Error(`Say in test/support/people/access-matrix.ts what {${name}} is`);
    return thing;
  });
  const query = new URLSearchParams(route.example.query).toString();
  const address = query ? `${path}?${query}` : path;
  return [route.method, address, route.body && (bodies[nameOf(route)]?.(things) ?? route.example.body)];
}

/** Outside of an active workspace its own people are let in or not; all others hear there what they hear here, in `npm run test:long`. */
const cells = statuses.flatMap((status) => {
  const asked = status === "active" ? persons : few(2, ["owner", "admin", ...persons] as const);
  return [...new Set(asked)].map((person) => ({ status, person }));
});
/** Who asks with the token of a program. */
const askers = few(3, [...new Set<Person>(["developer", "admin", "elsewhere", ...persons])]);

describe.each(all.map((route) => ({ name: nameOf(route), route })))("$name", ({ name, route }) => {
  test("each route answers each person as the rules say, in every status of the workspace, and writes only for people who may", async () => {
    const found: Record<string, string> = {};
    const ruled: Record<string, string> = {};
    for (const { status, person } of cells) {
      const cell = `${person}, ${status}`;
      const rule = expected(route, person, status);
      const changes = rule === may && route.method !== "GET";
      const world = changes ? await matrix.world(status) : shared[status];
      const headers = await matrix.bearerOf(world.claims[person]);
      const { outcome, written, body } = await matrix.ask(
        ...withHeaders(requestOf(route, world.things(person)), headers),
      );
      ruled[cell] = rule === may ? String(successStatus(route)) : rule;
      found[cell] = outcome;
      const isPlatforms = world.claims[person].platform_role !== undefined;
      const tells = rule === may && isPlatforms && toldReads.includes(name);
      if (tells)
        found[cell] += isTold(name, written, world.claims[person].sub) && written.length === 2 ? "" : ", untold";
      else if (!changes && written.length > 0) found[cell] += `, wrote ${written.map(({ pk }) => pk)}`;
      if (changes && !isTold(name, written, world.claims[person].sub)) found[cell] += ", without an entry of the trail";
      const code = body?.error?.details?.error_code;
      if (code && !refusalsOf(route).includes(code)) found[cell] += ", which is not described";
      if (person === "elsewhere" && rule === may && route.method === "GET") {
        if (JSON.stringify(body).includes(world.tenant_id)) found[cell] += ", tells of another workspace";
      }
    }
    expect(found).toEqual(ruled);
  });

  test("each route is open to a coding assistant's token exactly if it is on the list, in its person's role and never an administrator's", async () => {
    const found: Record<string, string> = {};
    const ruled: Record<string, string> = {};
    for (const [kind, assistant] of Object.entries(assistants)) {
      for (const person of askers) {
        const cell = `${person}, ${kind}`;
        const world = shared.active;
        const headers = await matrix.bearerOf({ ...world.claims[person], ...assistant });
        const { outcome, written } = await matrix.ask(...withHeaders(requestOf(route, world.things(person)), headers));
        const isOpen = openToAssistants.includes(name);
        ruled[cell] = isOpen ? inRole(route, person) : "403 scope_missing";
        found[cell] = !isOpen && written.length > 0 ? `${outcome}, and wrote` : outcome;
      }
    }
    expect(found).toEqual(ruled);
  });

  test("each route is open to the tokens of the skills client as their scopes say, in their person's role", async () => {
    const found: Record<string, string> = {};
    const ruled: Record<string, string> = {};
    for (const scope of ["platform/skills:invoke", "platform/skills:rw"] as const) {
      const isOpen =
        openToSkills[scope].includes(name) ||
        (scope.endsWith("rw") && openToSkills["platform/skills:invoke"].includes(name) && !name.includes("/runs"));
      for (const person of askers) {
        const cell = `${person}, ${scope}`;
        const world = isOpen && route.method !== "GET" ? await matrix.world("active") : shared.active;
        const headers = await matrix.bearerOf({ ...world.claims[person], client_id: skillsClient, scope });
        const { outcome, written } = await matrix.ask(...withHeaders(requestOf(route, world.things(person)), headers));
        ruled[cell] = isOpen ? inRole(route, person) : "403 scope_missing";
        found[cell] = !isOpen && written.length > 0 ? `${outcome}, and wrote` : outcome;
      }
    }
    expect(found).toEqual(ruled);
  });

  test("each route gives an administrator's role only to people who signed in at the console", async () => {
    const world = shared.active;
    const headers = await matrix.bearerOf({ ...world.claims.admin, sub: randomUUID(), client_id: helperWriteClient });
    const { outcome } = await matrix.ask(...withHeaders(requestOf(route, world.things("admin")), headers));
    expect(outcome).toBe(inRole(route, "admin"));
  });

  test("each route accepts an old sign-in, except those on the list", async () => {
    const person = (["owner", "admin"] as const).find((each) => expected(route, each, "active") !== noRole) ?? "owner";
    const world = await matrix.world(forRecentSignIn.includes(name) ? "active" : "deleted");
    const auth_time = Math.floor(matrix.plane.clock() / 1000) - 601;
    const headers = await matrix.bearerOf({ ...world.claims[person], auth_time });
    const { outcome, written } = await matrix.ask(...withHeaders(requestOf(route, world.things(person)), headers));
    if (!forRecentSignIn.includes(name)) expect(outcome).not.toBe("403 sign_in_too_old");
    else expect([outcome, written]).toEqual(["403 sign_in_too_old", []]);
  });

  test("each route refuses a request without a person's token for it", async () => {
    const world = shared.active;
    const found: Record<string, string> = {};
    for (const how of Object.keys(notLetIn) as NotLetIn[]) {
      const headers = await matrix.credential(how, world.claims.owner);
      const { outcome, written } = await matrix.ask(...withHeaders(requestOf(route, world.things("owner")), headers));
      found[how] = written.length > 0 ? `${outcome}, and wrote` : outcome;
    }
    expect(found).toEqual(notLetIn);
  });
});

test("the access matrix has no line for a route that does not exist", () => {
  const names = all.map(nameOf);
  expect(Object.keys(exceptionsOf).filter((name) => !names.includes(name))).toEqual([]);
});

function withHeaders([method, path, body]: ReturnType<typeof requestOf>, headers: Record<string, string>) {
  return [method, path, headers, body] as const;
}

/** Whether what was written has its entry, of who did it; what wrote nothing needs none. */
function isTold(name: string, written: { pk: string; actor?: string | undefined }[], sub: string | undefined): boolean {
  if (written.length === 0 || withoutEntry.includes(name)) return true;
  return written.some(({ pk, actor }) => pk.startsWith("AUDIT#") && actor === sub);
}
