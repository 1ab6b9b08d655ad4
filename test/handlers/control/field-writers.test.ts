// Who may set each field that a request can write: each field of each body is sent as each kind of person. A field fails here until it is in the
// table below, which says what is right without asking the declarations beside the routes. Two kinds of routes need no line: one that lets in one kind of
// person (the access matrix says who that is), and one whose whole body is every caller's, as docs/adversary.md shows: its example is sent.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import { routes } from "../../../handlers/control/nouns.ts";
import type { Schema } from "../../../handlers/control/routing/named-schemas.ts";
import { openApiDocument } from "../../../handlers/control/routing/openapi.ts";
import { type Route, successStatus } from "../../../handlers/control/routing/route.ts";
import { writtenFields } from "../../../handlers/control/routing/writers.ts";
import { openAccessMatrix, type Person as Somebody } from "../../support/people/access-matrix.ts";
import { instructions, uploadOf } from "../../support/skills/skill-files.ts";

/**
 * `colleague` is a developer whose things are not asked for, `elsewhere` the owner of another workspace, `program` holds an API key. They send one after
 * the other, and last the owner, who lifts rules.
 */
const persons = ["program", "support", "elsewhere", "colleague", "developer", "admin", "owner"] as const;
type Person = (typeof persons)[number];
type Things = Record<string, string>;
type Ask = (method: string, path: string, body: object) => Promise<{ status: number; body: Record<string, string> }>;

type Case = {
  body: (things: Things) => object;
  /** Those of the people whom the route lets in who may send it. */
  may: readonly Person[];
  /** What the owner does before; it may name other things. */
  before?: ((ask: Ask, things: Things) => Promise<Partial<Things>>) | undefined;
  /** True if the next one cannot send the same there. */
  isOnce?: true;
};
type Field = { writer: string; cases: Case[] };

const everybody = persons;
const people = ["owner", "developer", "colleague", "admin"] as const;
type Sample = object | ((things: Things) => object);
const bodyOf = (sample: Sample) => (typeof sample === "function" ? (sample as Case["body"]) : () => sample);
const caller = (sample: Sample, before?: Case["before"]): Field => ({
  writer: "caller",
  cases: [{ body: bodyOf(sample), may: everybody, before }],
});
const owners = (sample: Sample, before?: Case["before"]): Field => ({
  writer: "owner",
  cases: [{ body: bodyOf(sample), may: ["owner"], before }],
});
const admins = (sample: Sample): Field => ({
  writer: "platform_admin",
  cases: [{ body: bodyOf(sample), may: ["admin"] }],
});
const ruled = (...cases: Case[]): Field => ({ writer: "rule", cases });

let fresh = 0;
const named = (more: object) => () => ({ name: `thing-${fresh++}`, ...more });
const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
/** Each field of limits with a value that a developer would like. */
const eachLimit = {
  allowed_models: {},
  allowed_regions: { allowed_regions: ["eu-central-1", "us-east-1"] },
  monthly_budget_usd: { monthly_budget_usd: 1_000 },
  default_region: { default_region: "eu-central-1" },
  fallback_region: {
    ...{ allowed_regions: ["eu-central-1", "eu-central-2"], default_region: "eu-central-1" },
    fallback_region: "eu-central-2",
  },
  budget_enforcement: { budget_enforcement: "spent" },
  allow_global_profiles: { allow_global_profiles: true },
  "rate_limit.burst": { rate_limit: { burst: 100, per_minute: 60 } },
  "rate_limit.per_minute": { rate_limit: { burst: 1, per_minute: 600 } },
  max_in_flight: { max_in_flight: 64 },
};
/** The fields of limits, which are the owner's wherever they are. */
const limitsAt = (at: string, sample: (limit: object) => object, before?: Case["before"]) =>
  Object.fromEntries(
    Object.entries(eachLimit).map(([field, limit]) => [at + field, owners(sample({ ...limits, ...limit }), before)]),
  );
const withServiceKey = async (ask: Ask) => {
  const { body } = await ask("POST", "/v1/keys", { name: "CI", kind: "service_account", grant: limits });
  return { key_id: body.key_id ?? "" };
};

const custom = { target_mode: "mcp_server", endpoint: "https://mcp.other.example/mcp" };
const spec = { openapi: "3.0.3" };
const provider = { provider_id: "tavily", secret: "s" };
const tool = "list_pets";
const strict = { offered: [tool], owners_only: [tool] };
const rule =
  (tools: object) =>
  async (ask: Ask, { server_id }: Things) => {
    await ask("PUT", `/v1/mcp-servers/${server_id}`, { tools });
    return {};
  };
const registered = (body: object) => async (ask: Ask) => {
  const { body: answer } = await ask("POST", "/v1/mcp-servers", body);
  return { server_id: answer.server_id ?? "" };
};
/** The owner's rules stay with the name of what was removed. */
const left = (tools: object) => async (ask: Ask) => {
  const { body } = await ask("POST", "/v1/mcp-servers", { ...custom, name: "left", tools });
  await ask("DELETE", `/v1/mcp-servers/${body.server_id}`, {});
  return {};
};
const upload = async (ask: Ask) => {
  const { body } = await ask("POST", "/v1/mcp-specs", { bytes: 100 });
  return { uri: body.spec_uri ?? "" };
};
const both =
  (...all: ((ask: Ask, things: Things) => Promise<Partial<Things>>)[]) =>
  async (ask: Ask, things: Things) => {
    const found: Partial<Things> = {};
    for (const one of all) Object.assign(found, await one(ask, { ...things, ...(found as Things) }));
    return found;
  };
/** The fields that a document may come with. */
const besideSpec = <T>(played: (beside: object) => T) => ({
  base_url: played({ base_url: "https://pets.example" }),
  "operations.tags": played({ operations: { tags: ["pets"] } }),
  "operations.paths": played({ operations: { paths: ["/pets"] } }),
  "operations.methods": played({ operations: { methods: ["GET"] } }),
  "operations.ids": played({ operations: { ids: ["listPets"] } }),
});
const openApi = registered({ name: "api", target_mode: "openapi", spec });

const skill = (name: string) => uploadOf({ "SKILL.md": instructions(name) }, { name, change: "new" });

const fieldsFor: Record<string, Record<string, Field>> = {
  "POST /v1/tenants": { name: caller(named({})), default_region: caller(named({ default_region: "us-east-1" })) },
  "PATCH /v1/tenants/{id}": {
    name: caller(named({})),
    default_region: caller({ default_region: "us-east-1" }),
    monthly_cap_usd: caller({ monthly_cap_usd: null }),
    browser_origins: caller({ browser_origins: ["https://app.example.com"] }),
    // The tier decides what an owner may leave unpaid.
    tier: admins({ tier: "enterprise" }),
  },
  "POST /v1/keys": {
    name: caller({ name: "Laptop" }),
    kind: {
      writer: "caller, owner",
      cases: [
        { body: () => ({ name: "Laptop", kind: "personal" }), may: everybody },
        { body: () => ({ name: "CI", kind: "service_account", grant: limits }), may: ["owner"] },
      ],
    },
    mode: caller({ name: "Laptop", mode: "test" }),
    expires_at: caller({ name: "Laptop", expires_at: "2099-01-01T00:00:00Z" }),
    ...limitsAt("grant.", (grant) => ({ name: "CI", kind: "service_account", grant })),
  },
  "PATCH /v1/keys/{key_id}": {
    name: caller({ name: "Old" }),
    expires_at: caller({ expires_at: "2099-01-01T00:00:00Z" }),
    ...limitsAt("grant.", (grant) => ({ grant }), withServiceKey),
  },
  "POST /v1/keys/{key_id}/rotate": {
    overlap_seconds: caller({ overlap_seconds: 60 }),
    expires_at: caller({ expires_at: null }),
  },
  "POST /v1/mcp-servers": {
    name: caller(named(custom)),
    provider_id: caller(named(provider)),
    secret: caller(named(provider)),
    extra_env_entries: caller(named({ ...provider, extra_env_entries: [] })),
    target_mode: caller(named(custom)),
    endpoint: caller(named(custom)),
    auth: caller(named({ ...custom, auth: { kind: "bearer", secret: "s" } })),
    spec: ruled(
      { body: named({ target_mode: "openapi", spec }), may: people },
      { body: () => ({ name: "left", target_mode: "openapi", spec }), before: left(strict), may: ["owner"] },
    ),
    spec_uri: ruled(
      { body: ({ uri }) => named({ target_mode: "openapi", spec_uri: uri })(), before: upload, may: people },
      {
        body: ({ uri }) => ({ name: "left", target_mode: "openapi", spec_uri: uri }),
        before: both(left(strict), upload),
        may: ["owner"],
      },
    ),
    ...besideSpec((beside) => caller(named({ target_mode: "openapi", spec, ...beside }))),
    "tools.offered": ruled(
      { body: named({ ...custom, tools: { offered: [tool] } }), may: people },
      { body: () => ({ ...custom, name: "left", tools: {} }), before: left({ offered: [tool] }), may: ["owner"] },
    ),
    "tools.owners_only": ruled(
      { body: () => ({ ...custom, name: "left", tools: strict }), before: left(strict), may: people, isOnce: true },
      {
        body: () => ({ ...custom, name: "left", tools: { owners_only: [] } }),
        before: left({ owners_only: [tool] }),
        may: ["owner"],
      },
    ),
  },
  "PUT /v1/mcp-servers/{server_id}": {
    secret: caller({ secret: "s" }, registered(provider)),
    extra_env_entries: caller({ secret: "s", extra_env_entries: [] }, registered(provider)),
    auth: caller({ auth: { kind: "bearer", secret: "s" } }),
    endpoint: ruled(
      { body: () => ({ endpoint: custom.endpoint }), may: people },
      { body: () => ({ endpoint: custom.endpoint }), before: rule(strict), may: ["owner"] },
    ),
    spec: ruled(
      { body: () => ({ spec }), before: openApi, may: people },
      { body: () => ({ spec }), before: both(openApi, rule(strict)), may: ["owner"] },
    ),
    spec_uri: ruled(
      { body: ({ uri }) => ({ spec_uri: uri }), before: both(openApi, upload), may: people },
      { body: ({ uri }) => ({ spec_uri: uri }), before: both(openApi, upload, rule(strict)), may: ["owner"] },
    ),
    ...besideSpec((beside) => caller({ spec, ...beside }, openApi)),
    "tools.offered": ruled(
      { body: () => ({ tools: { offered: [tool] } }), may: people },
      { body: () => ({ tools: {} }), before: rule({ offered: [tool] }), may: ["owner"] },
    ),
    "tools.owners_only": ruled(
      { body: () => ({ tools: strict }), before: rule({ owners_only: [tool] }), may: people },
      { body: () => ({ tools: { owners_only: [] } }), before: rule({ owners_only: [tool] }), may: ["owner"] },
    ),
  },
  "POST /v1/mcp-specs/check": {
    spec: caller({ spec }),
    spec_uri: caller(({ uri }) => ({ spec_uri: uri }), upload),
    server_id: caller(({ id }) => ({ spec, server_id: id }), openApi),
    auth: caller({ spec, auth: { kind: "none" } }),
    ...besideSpec((beside) => caller({ spec, ...beside })),
  },
  "POST /v1/skills": {
    files: caller(() => skill(`new-${fresh++}`)),
    name: caller(() => skill(`new-${fresh++}`)),
    change: caller(() => skill(`new-${fresh++}`)),
  },
  "PATCH /v1/skills/{name}/env": { env: ruled({ body: () => ({ env: { A: "b" } }), may: people }) },
  "POST /v1/skills/{name}/runs": {
    version: ruled({ body: () => ({ version: 1 }), may: people }),
    input: caller({ version: 1, input: {} }),
    args: caller({ version: 1, args: ["a"] }),
    files: caller({ version: 1, files: [] }),
  },
  "PUT /v1/secrets/{name}": {
    value: ruled({ body: () => ({ value: "v" }), may: people }),
    description: ruled({ body: () => ({ value: "v", description: "d" }), may: people }),
  },
};

/** The people whom an access rule lets in, in an active workspace that is theirs. */
const letsIn: Record<AccessRule, readonly Person[]> = {
  signed_in: ["owner", "developer", "colleague", "elsewhere", "admin", "support"],
  member: ["owner", "developer", "colleague", "elsewhere"],
  owner: ["owner", "elsewhere"],
  tenant_owner: ["owner"],
  tenant_manager: ["owner", "admin"],
  tenant_reader: ["owner", "admin", "support"],
  platform_admin: ["admin"],
  platform_reader: ["admin", "support"],
};
/** What these paths name is the developer's, or needs the developer's grant: the colleague has none of it. */
const developersOwn = /\{(key_id|name)\}|^\/v1\/keys$/;

const document = openApiDocument(routes);
const all = Object.values(routes).flatMap((noun) => Object.values<Route>(noun));
const withBody = all.filter(
  ({ body, access }) => body !== undefined && letsIn[access].filter((person) => person !== "elsewhere").length > 1,
);
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** The fields that a body can have, by its schema: those of groups one by one. */
function fieldsOf(schema: Schema, path = ""): string[] {
  const named =
    typeof schema.$ref === "string" ? document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] : schema;
  const properties = Object.entries(named?.properties ?? {});
  if (properties.length === 0) return [path];
  return properties.flatMap(([name, inner]) => fieldsOf(inner as Schema, path === "" ? name : `${path}.${name}`));
}

function bodyFields(route: Route): string[] {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  return fieldsOf(operation?.requestBody?.content["application/json"].schema ?? {});
}

/** The fields of a body that is every caller's as a whole, each with the route's example. */
function exampleFields(route: Route): Record<string, Field> {
  if (route.body?.writers !== "caller") return {};
  return Object.fromEntries(bodyFields(route).map((field) => [field, caller(route.example.body as object)]));
}

/** The writers that the declaration beside the route names for a field. */
function declared(route: Route, field: string): string {
  const written = route.body ? writtenFields(route.body.writers) : [];
  const of = written.filter(
    ({ path }) => path === "" || `${field}.`.startsWith(`${path}.`) || path.startsWith(`${field}.`),
  );
  return of.map(({ writer }) => (typeof writer === "string" ? writer : "rule")).join(", ");
}

let matrix: Awaited<ReturnType<typeof openAccessMatrix>>;
let apiKey: string;
beforeAll(async () => {
  matrix = await openAccessMatrix();
  const { owner } = (await matrix.world("active")).claims;
  apiKey = (await matrix.plane.call("POST", "/v1/keys", { as: owner, body: { name: "Program" } })).body.key;
});
afterAll(() => matrix.close());

/** Another thing than the parameter's name says. */
const otherThings: Record<string, Record<string, string>> = { "PUT /v1/secrets/{name}": { name: "secret" } };

/** A workspace in which a case is as its owner left it. */
async function prepared({ before }: Case) {
  const world = await matrix.world("active");
  const ask: Ask = async (method, path, body) => {
    const request = { as: world.claims.owner, ...(method !== "DELETE" && { body }) };
    const answer = await matrix.plane.call(method, path, request);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const found = await before?.(ask, world.things("owner"));
  return { world, things: (person: Somebody) => ({ ...world.things(person), ...found }) as Things };
}

async function sent(route: Route, person: Person, { body }: Case, place: Awaited<ReturnType<typeof prepared>>) {
  const { world } = place;
  const things = place.things(person === "program" ? "owner" : person);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => things[otherThings[nameOf(route)]?.[name] ?? name] ?? "");
  const headers: Record<string, string> =
    person === "program" ? { "x-api-key": apiKey } : await matrix.bearerOf(world.claims[person]);
  const { status, body: answer, written } = await matrix.ask(route.method, path, headers, body(things));
  const refused: { path: string }[] = answer?.error?.details?.fields ?? [];
  const touched = written.some(({ pk }) => pk.includes(world.tenant_id));
  return { status, touched, fields: refused.map((field) => field.path), message: answer?.error?.message };
}

describe.each(withBody.map((route) => ({ name: nameOf(route), route })))("$name", ({ name, route }) => {
  const fields = fieldsFor[name] ?? exampleFields(route);

  test("the table of field writers lists exactly the fields of each body", () => {
    expect(Object.keys(fields).sort()).toEqual(bodyFields(route).sort());
  });

  test("each body declares which callers may set each field", () => {
    const right = Object.fromEntries(Object.entries(fields).map(([field, { writer }]) => [field, writer]));
    expect(Object.fromEntries(bodyFields(route).map((field) => [field, declared(route, field)]))).toEqual(right);
  });

  test.each(Object.entries(fields))(
    "the field %s is accepted from callers who may set it, and refused from all others",
    async (field, { cases }) => {
      const found: string[] = [];
      const right: string[] = [];
      for (const [number, one] of cases.entries()) {
        let place = await prepared(one);
        for (const person of persons) {
          const isIn =
            letsIn[route.access].includes(person) &&
            !(person === "colleague" && developersOwn.test(route.path)) &&
            !(person === "elsewhere" && route.path.includes("{") && name !== "PUT /v1/secrets/{name}");
          const { status, touched, fields: named, message } = await sent(route, person, one, place);
          const cell = `${number} ${person}`;
          if (person === "elsewhere" || !isIn) {
            // Whoever comes in elsewhere acts in a workspace of their own.
            const isRefused = status === 403 || status === 404;
            right.push(`${cell}: keeps off`);
            found.push(`${cell}: ${(isIn || isRefused) && !touched ? "keeps off" : `${status} ${message}`}`);
            continue;
          }
          const isNamed =
            status === 403 && named.some((path) => `${path}.`.startsWith(field) || field.startsWith(path));
          right.push(`${cell}: ${one.may.includes(person) ? successStatus(route) : "refused"}`);
          found.push(`${cell}: ${isNamed && !touched ? "refused" : status < 300 ? status : `${status} ${message}`}`);
          if (one.isOnce && status < 300) place = await prepared(one);
        }
      }
      expect(found).toEqual(right);
    },
  );
});

test("the table of field writers lists no route that does not exist", () => {
  const names = withBody.map(nameOf);
  expect(Object.keys(fieldsFor).filter((name) => !names.includes(name))).toEqual([]);
});
