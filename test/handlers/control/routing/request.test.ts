import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import { routes } from "../../../../handlers/control/nouns.ts";
import { openApiDocument } from "../../../../handlers/control/routing/openapi.ts";
import { readRequest } from "../../../../handlers/control/routing/request.ts";
import type { Route } from "../../../../handlers/control/routing/route.ts";
import type { ObservedEvent } from "../../../../handlers/middleware/observe.ts";

type Body = Record<string, unknown>;

const document = openApiDocument(routes);
const all = Object.values(routes).flatMap((noun): [string, Route][] => Object.entries(noun));
const withBody = all.filter(([, route]) => route.body !== undefined);

/** Each body's own fields, by the document. */
const bodyFields = withBody.flatMap(([name, route]) => {
  const { $ref = "" } =
    document.paths[route.path]?.[route.method.toLowerCase()]?.requestBody?.content["application/json"].schema ?? {};
  const { properties = {} } = document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {};
  return Object.keys(properties).map((field) => ({ name, field, route }));
});

/** The fields that the refusal of a request names; none if it is taken. Fails on any other error, and on a field without words. */
function refusedFields(route: Route, body: unknown, query?: Record<string, string>): readonly string[] {
  const event = {
    headers: { "content-type": "application/json" },
    ...(query && { queryStringParameters: query }),
    body: JSON.stringify(body),
  };
  try {
    readRequest(event as unknown as ObservedEvent, route);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "invalid_request") throw error;
    expect(error.fields).not.toEqual([]);
    for (const { path, message } of error.fields ?? []) expect([path, message]).not.toContain("");
    return (error.fields ?? []).map(({ path }) => path);
  }
}

const wrong: [string, unknown][] = [
  ["null", null],
  ["a number", 0.123456789012],
  ["a negative number", -1],
  ["a text", "something"],
  ["markup", "<script>"],
  ["control characters", "a\u0000b\u001b[2J"],
  ["a lone surrogate", "\ud800"],
  ["hidden text", "a\u202eb"],
  ["a huge text", "x".repeat(200_000)],
  ["a list of lists", [[[]]]],
  ["an object", { __proto__: null, constructor: 1 }],
];

describe.each(bodyFields)("$field of $name", ({ field, route }) => {
  const example = route.example.body as Body;
  const isOf = (named: string) => named === field || named.startsWith(`${field}.`);

  test("each field of a body with a wrong value is refused by its name", () => {
    let refusals = 0;
    for (const [, value] of wrong) {
      const named = refusedFields(route, { ...example, [field]: value });
      if (named.length > 0) expect(named.some(isOf)).toBe(true);
      if (named.some(isOf)) refusals += 1;
    }
    expect(refusals).toBeGreaterThanOrEqual(wrong.length / 2);
  });

  test("each required field of a body that is missing is refused by its name", () => {
    const { [field]: _, ...others } = example;
    for (const named of refusedFields(route, others)) expect(isOf(named)).toBe(true);
  });
});

test.each(withBody)("the route %s refuses unknown fields, and a body that is not an object", (_name, route) => {
  const example = route.example.body as Body;
  expect(refusedFields(route, { ...example, no_such_field: 1 })).toContain("no_such_field");
  for (const body of [null, [], "text", 1]) expect(refusedFields(route, body)).toEqual(["body"]);
});

const queried = all.flatMap(([name, route]) => {
  const { parameters = [] } = document.paths[route.path]?.[route.method.toLowerCase()] ?? {};
  return parameters.filter((parameter) => parameter.in === "query").map((parameter) => ({ name, route, parameter }));
});

describe.each(queried)("$parameter.name in the query of $name", ({ route, parameter: { name } }) => {
  test("each parameter of a query with a wrong value is refused by its name", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom("", "0", "-1", "1e3", "x".repeat(3_000))), (value) => {
        const named = refusedFields(route, route.example.body, { [name]: value });
        for (const field of named) expect(`${field}.`).toMatch(new RegExp(`^${name}\\.`));
      }),
      { numRuns: 30 },
    );
  });

  test("unknown parameters of a query are refused together with wrong ones", () => {
    expect(refusedFields(route, route.example.body, { no_such_parameter: "1" })).toContain("no_such_parameter");
  });
});
