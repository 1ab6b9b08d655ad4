// The catalog as data: what people see is whole, and each document is one that the platform itself would take from a tenant.
import { describe, expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { shownProvider, shownProviderSchema } from "../../../domain/marketplace/provider.ts";
import { providers, requireProvider, runtimeProviders } from "../../../domain/marketplace/providers.ts";
import { toolsOfSpec } from "../../../domain/openapi/registered-spec.ts";
import { rewriteSpec } from "../../../domain/openapi/rewriting.ts";
import { toolWarnings } from "../../../domain/tools/tool-name.ts";

const openApi = providers.flatMap((one) => (one.kind === "openapi" ? [one] : []));
const byId = <T extends { provider_id: string }>(all: readonly T[]) =>
  all.map((one) => [one.provider_id, one] as const);

test("the marketplace has at least three providers of each kind, sorted by id", () => {
  const ids = providers.map(({ provider_id }) => provider_id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(openApi.length).toBeGreaterThanOrEqual(3);
  expect(runtimeProviders.length).toBeGreaterThanOrEqual(3);
});

test("an unknown provider is refused with the names of the known providers", () => {
  expect(() => requireProvider("nobody")).toThrow("provider_id: must be one of brave-search, github");
  expect(requireProvider("github").name).toBe("GitHub");
});

describe.each(byId(providers))("%s", (id, provider) => {
  test("each provider of the marketplace is shown with exactly the fields that people need", () => {
    const shown = shownProvider(provider);
    expect(shownProviderSchema.parse(shown)).toEqual(shown);
    expect(decodeURIComponent(shown.icon)).toMatch(
      /^data:image\/svg\+xml,<svg [^<]+<rect [^<]+<text [^<]+<\/text><\/svg>$/,
    );
  });

  test("each provider of the marketplace has tools whose names every client accepts", () => {
    const names = provider.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(toolWarnings("archway", id, names)).toEqual([]);
  });
});

describe.each(byId(openApi))("the document of %s", (_, { document, tools, check }) => {
  test("each provider's OpenAPI document becomes tools without a loss", () => {
    const made = rewriteSpec(document, { names: new Map(), digest: (text) => text });
    if ("problem" in made) throw new Error(made.problem.message);
    expect(made.report).toMatchObject({ taken: tools.length, operations: [] });
    expect(toolsOfSpec(made).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(new URL(made.report.base_url).host).toBe(new URL(check.url).host);
  });

  test("each provider's OpenAPI document is valid by OpenAPI's own schema", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  test("each provider's OpenAPI document describes each variable of a path", () => {
    const paths = document.paths as Record<string, Record<string, { parameters: { name: string; in: string }[] }>>;
    for (const [path, methods] of Object.entries(paths)) {
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(methods)) {
        expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).toEqual(variables);
      }
    }
  });
});
