import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { discoveryPath } from "../../../../domain/access/discovery.ts";
import { everyGrouping } from "../../../../domain/ledger/usage-groups.ts";
import { routes } from "../../../../handlers/control/nouns.ts";
import type { Schema } from "../../../../handlers/control/routing/named-schemas.ts";
import {
  type Content,
  type Operation,
  openApiDocument,
  type ResponseObject,
} from "../../../../handlers/control/routing/openapi.ts";
import { type Route, successStatus } from "../../../../handlers/control/routing/route.ts";
import { secondsToWait } from "../../../../handlers/middleware/refusal-form.ts";
import { aDiscovery, openControlPlane } from "../../../support/control-plane.ts";

// As a client has it.
const document: ReturnType<typeof openApiDocument> = JSON.parse(JSON.stringify(openApiDocument(routes)));
const nouns: [string, Record<string, Route>][] = Object.entries(routes);
const all = nouns.flatMap(([noun, named]) => Object.entries(named).map(([name, route]) => ({ noun, name, route })));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "document");
/** @returns what is wrong. */
function problems(schema: object | boolean, value: unknown): unknown {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  const validate = ajv.compile(absolute);
  return validate(value) ? [] : validate.errors;
}

function operation(route: Route): Operation {
  const found = document.paths[route.path]?.[route.method.toLowerCase()];
  if (!found) throw new Error(`${route.method} ${route.path} is not in the document`);
  return found;
}

test("the OpenAPI document is valid OpenAPI 3.1 by other people's tools", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

/** The schema itself, or what it refers to. */
function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** The schema and all within it. */
function within(schema: Schema): Schema[] {
  const { items, anyOf = [], properties = {} } = schema;
  const inner = [items, ...anyOf, ...Object.values(properties)].flat() as (Schema | boolean | undefined)[];
  return [schema, ...inner.flatMap((each) => (typeof each === "object" ? within(each) : []))];
}

describe.each(Object.entries(document.components.schemas))("the schema %s", (_name, schema) => {
  test("each schema of the OpenAPI document and each of its fields has a description", () => {
    const fields = Object.entries(schema.properties ?? {}) as [string, Schema][];
    const undescribed = fields.filter(([, field]) => !field.description && !resolved(field).description);
    expect([schema.description, undescribed.map(([name]) => name)]).toEqual([expect.stringMatching(/^[A-Z]/), []]);
  });

  test("each object schema of the OpenAPI document has a name, so that a generator gives each a type", () => {
    const inner = Object.values(schema.properties ?? {}).flatMap((field) => within(field as Schema));
    expect(inner.filter(({ properties }) => properties !== undefined)).toEqual([]);
  });
});

test("no field of an answer is null in the OpenAPI document: a field without a value is left out", () => {
  const nullable = Object.entries(document.components.schemas)
    .filter(([name]) => !/(Body|Patch)$/.test(name))
    .filter(([, schema]) => within(schema).some(({ type }) => type === "null"));
  expect(nullable.map(([name]) => name)).toEqual([]);
});

test("the OpenAPI document describes a number in a query as a number, and a list as a list of its allowed values", () => {
  const { parameters } = operation(routes.usage.getUsage);
  const named = (name: string) => parameters.find((parameter) => parameter.name === name);
  expect(named("limit")?.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 10_000 });
  const groupBy = named("group_by");
  expect(groupBy).toMatchObject({ schema: { type: "array" }, style: "form", explode: false });
  expect(resolved((groupBy?.schema as Schema | undefined)?.items as Schema)).toMatchObject({ enum: everyGrouping });
});

test("the OpenAPI document has exactly the platform's routes", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
  );
  const expected = all.map(({ name, route }) => `${name}: ${route.method.toLowerCase()} ${route.path}`);
  expect(described.toSorted()).toEqual(expected.toSorted());
});

describe.each(all)("$name", ({ noun, route }) => {
  const { responses, requestBody, parameters, tags, summary, security } = operation(route);
  const contents: [string, Content][] = [
    ...(requestBody ? [["body", requestBody.content] as [string, Content]] : []),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      content ? [[status, content] as [string, Content]] : [],
    ),
  ];

  test("each operation of the OpenAPI document is listed under its noun, and has a summary and a scope", () => {
    expect({ tags, summary, security }).toEqual({
      tags: [noun],
      summary: route.summary,
      security: [...(route.openers ?? []), "control:manage"].map((scope) => ({ bearer: [scope] })),
    });
  });

  test.each(contents)(
    "each operation of the OpenAPI document has an example of %s that matches its schema",
    (_part, { "application/json": json }) => {
      expect(json.example).toBeDefined();
      expect(problems(json.schema, json.example)).toEqual([]);
    },
  );

  test("each operation of the OpenAPI document has an example of every parameter of the path, which matches its schema", () => {
    for (const { in: place, example, schema } of parameters) {
      if (place === "path") expect(problems(schema, example)).toEqual([]);
    }
  });

  test("each operation of the OpenAPI document describes each parameter, and names the schemas of body and answer", () => {
    expect(parameters.filter(({ description }) => description === "").map(({ name }) => name)).toEqual([]);
    const schemas = contents.map(([, { "application/json": json }]) => json.schema.$ref);
    expect(schemas).toEqual(schemas.map(() => expect.stringMatching(/^#\/components\/schemas\/[A-Z]\w+$/)));
  });

  test("each operation of the OpenAPI document lists every answer that any route can give", () => {
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([String(successStatus(route)), "400", "401", "403", "503"]),
    );
    expect(responses["401"]?.headers).toHaveProperty("x-amzn-remapped-www-authenticate");
    for (const { headers, "x-error-codes": codes = [] } of Object.values<ResponseObject>(responses)) {
      const isWaited = codes.some((code) => secondsToWait(code) !== undefined);
      expect("retry-after" in headers).toBe(isWaited);
    }
  });

  test("each operation of the OpenAPI document names the header for repeats, if it accepts one", () => {
    const headers = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
    expect(headers.includes("Idempotency-Key")).toBe(route.idempotent === true);
  });
});

describe("of a route that says so", () => {
  const described = (route: object): Operation => {
    const whole: Route = { ...routes.me.getMe, ...route };
    const operation = openApiDocument({ me: { whole } }).paths[whole.path]?.[whole.method.toLowerCase()];
    if (!operation) throw new Error("The route is not in the document");
    return operation;
  };

  test("the OpenAPI document names the ETag of a versioned answer, and If-Match for changing it", () => {
    const read = described({ versionedBy: "version" });
    expect(read.responses["200"]?.headers).toHaveProperty("etag");
    expect(read.parameters).toEqual([]);
    const change = described({ method: "PATCH", versionedBy: "version" });
    expect(change.parameters).toMatchObject([{ name: "If-Match", in: "header", required: false }]);
    expect(change.responses).toHaveProperty("412");
  });

  test("the OpenAPI document lists the CSV beside the JSON", () => {
    const content = described({ csv: ["day", "usd"] }).responses["200"]?.content;
    expect(content?.["text/csv"]).toMatchObject({ example: "day,usd\r\n" });
    const { headers, content: ofUsage } = operation(routes.usage.getUsage).responses["200"] ?? {};
    expect(headers).toHaveProperty("x-next-cursor");
    expect(ofUsage?.["text/csv"]?.schema.description).toContain("in each the answer's `as_of` and `complete`");
  });

  test("the OpenAPI document lists the refusals of each operation", () => {
    expect(described({ refusals: ["changed_meanwhile"] }).responses["409"]?.description).toBe("`changed_meanwhile`");
  });
});

describe("GET /.well-known/archway.json", () => {
  test("GET /.well-known/archway.json gives everybody the facts that a client needs, and may be cached", async () => {
    const plane = await openControlPlane();
    const { status, body, headers } = await plane.call("GET", discoveryPath);
    await plane.close();
    expect([status, body, headers["cache-control"]]).toEqual([200, aDiscovery, "public, max-age=300"]);
  });
});

describe("GET /v1/openapi.json", () => {
  let plane: Awaited<ReturnType<typeof openControlPlane>>;
  beforeAll(async () => {
    plane = await openControlPlane();
  });
  afterAll(() => plane.close());

  test("GET /v1/openapi.json gives everybody the OpenAPI document, and may be cached", async () => {
    const { status, body, headers } = await plane.call("GET", "/v1/openapi.json");
    expect(status).toBe(200);
    expect(body).toEqual(document);
    expect(headers["cache-control"]).toBe("public, max-age=300");
    expect(plane.lines.at(-1)?.facts).toMatchObject({ route: "GET /v1/openapi.json", status: 200 });
  });

  test("GET /v1/openapi.json accepts no other method", async () => {
    const { status, headers } = await plane.call("POST", "/v1/openapi.json", { body: {} });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test("answers of the control plane match the OpenAPI document", async () => {
    const owner = await plane.workspace("Described");
    const developer = await plane.developer(owner.tenant_id);
    const body = { name: "Laptop" };
    const calls: [Route, string, Parameters<typeof plane.call>[2]][] = [
      [routes.me.getMe, "/v1/me", { as: owner }],
      [routes.me.getMe, "/v1/me", { as: owner, query: { a: "1" } }],
      [routes.tenants.getMyTenant, "/v1/tenants/my", { as: owner }],
      [routes.tenants.getMyTenant, "/v1/tenants/my", { as: { sub: "nobody" } }],
      [routes.tenants.createTenant, "/v1/tenants", { as: owner, body: { name: "Described" } }],
      [routes.keys.createKey, "/v1/keys", { as: owner, body }],
      [routes.keys.createKey, "/v1/keys", { as: developer, body }],
      [routes.keys.listKeys, "/v1/keys", { as: owner }],
      [routes.grants.listGrants, "/v1/grants", {}],
      [routes.grants.getGrant, "/v1/grants/nobody", { as: owner }],
    ];
    for (const [route, path, request] of calls) {
      const { status, body: answer } = await plane.call(route.method, path, request);
      const content = operation(route).responses[String(status)]?.content?.["application/json"];
      if (!content) throw new Error(`${route.method} ${path}: ${status} is not described`);
      expect(problems(content.schema, answer)).toEqual([]);
      const codes = operation(route).responses[String(status)]?.["x-error-codes"];
      if (codes) expect(codes).toContain(answer.error.details.error_code);
    }
  });
});
