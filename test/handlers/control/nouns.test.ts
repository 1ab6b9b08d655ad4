import { globSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { routes } from "../../../handlers/control/nouns.ts";
import { type Route, successStatus } from "../../../handlers/control/routing/route.ts";

const nouns: [string, Record<string, Route>][] = Object.entries(routes);
const all = nouns.flatMap(([, noun]) => Object.entries(noun));

test("every route that a file describes is in handlers/control/nouns.ts", async () => {
  const files = globSync("handlers/control/*/*.routes.ts");
  const modules = await Promise.all(files.map((file) => import(`../../../${file}`)));
  const described = modules.flatMap((module) =>
    Object.entries<Record<string, Route>>(module).flatMap(([name, noun]) =>
      name.endsWith("Routes") ? Object.keys(noun) : [],
    ),
  );
  expect(described.toSorted()).toEqual(all.map(([name]) => name).toSorted());
});

test("no two operations of the API have the same method and path, or the same name", () => {
  const places = all.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(places).size).toBe(all.length);
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
});

describe.each(nouns)("%s", (noun, routesOfNoun) => {
  test("each group of routes is named by the noun in its paths, which may begin with a workspace", () => {
    for (const { path } of Object.values(routesOfNoun)) {
      const folder = noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(`${path}/`).toMatch(new RegExp(`^/v1/(tenants/\\{id\\}/)?${folder}/`));
    }
  });
});

describe.each(all)("%s", (_name, route) => {
  test("each route has an answer exactly if its status has one", () => {
    // What is done later may have nothing to show yet.
    if (successStatus(route) !== 202) expect(route.response === undefined).toBe(successStatus(route) === 204);
  });

  test("each route has a body only if HTTP gives a body meaning for its method", () => {
    expect(route.body === undefined || ["POST", "PUT", "PATCH"].includes(route.method)).toBe(true);
  });

  test("each route accepts an Idempotency-Key only if a repeat would otherwise create a second record", () => {
    if (route.idempotent) expect([route.method, [201, 202].includes(successStatus(route))]).toEqual(["POST", true]);
    if (route.answer === "shown_once") expect(route.idempotent).toBe(true);
  });

  test("each route names a record's address exactly if it creates one, from fields of its answer", () => {
    // What 202 takes up may be a thing of its own, or a change of one that the path names.
    if (successStatus(route) !== 202) expect(route.location === undefined).toBe(successStatus(route) !== 201);
    for (const [, field = ""] of (route.location ?? "").matchAll(/\{(\w+)\}/g)) {
      expect(route.example.response).toHaveProperty(field);
    }
  });

  test("each route that can answer that an outside system is unavailable counts towards the limit of questions", () => {
    const outside = ["payments_unavailable", "gateway_unavailable"];
    if (route.refusals?.some((code) => outside.includes(code))) expect(route.asksOutside).toBe(true);
  });

  test("each route says in one line what it does", () => {
    expect(route.summary).toMatch(/^[A-Z][^\n]{10,118}[^.\n]$/);
  });

  test("each route has an example with every parameter of the path, a body and an answer that match its schemas", () => {
    const { parameters = {}, body, response } = route.example;
    expect(Object.keys(parameters)).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(body === undefined).toBe(route.body === undefined);
    expect(response === undefined).toBe(route.response === undefined);
    route.body?.schema.parse(body);
    expect(route.response?.parse(response)).toEqual(response);
  });
});

test("an API key is sent without its hash, whatever the handler answers", () => {
  const key = {
    key_id: "000000000000",
    tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
    name: "CI",
    mode: "live",
    hash: "$2b$10$hash",
    last4: "abcd",
    role: "developer",
    caller_id: "ann",
    scope: "proxy:invoke",
    status: "active",
    created_by: "ann",
    created_at: "2026-11-21T05:00:00.000Z",
    version: 1,
  };
  const answers = [
    routes.keys.createKey.response.parse({ ...key, key: "ar_live_" }),
    routes.keys.listKeys.response.parse({ data: [key] }),
  ];
  expect(JSON.stringify(answers)).not.toContain("hash");
});
