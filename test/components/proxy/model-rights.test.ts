import { describe, expect, test } from "@jest/globals";
import { policyDocument } from "../../../components/link.ts";
import { modelRights } from "../../../components/proxy/model-rights.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { Iam } from "../../../emulators/iam/iam.ts";
import { aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

type PolicyStatement = { Action: string[]; Resource: string[]; Condition?: object };

const account = "000000000000";
const catalog = parseCatalog(catalogData);

const document = await new Promise<string>((resolve) => policyDocument(modelRights(account, catalog)).apply(resolve));
const statements: PolicyStatement[] = JSON.parse(document).Statement;

test("exactly the catalog's inference profiles may be called, each in the regions that the catalog names for it", () => {
  const calls = statementsOn("inference-profile");
  const prefix = `arn:aws:bedrock:*:${account}:inference-profile/`;
  const bases = new Set(catalog.models.map((model) => model.base_id));
  const allowed = calls.flatMap(({ Resource, Condition }) =>
    regionsOf(Condition).flatMap((region) => Resource.map((resource) => `${region} ${resource}`)),
  );
  const named = catalog.models.flatMap(({ profiles }) =>
    regions.flatMap((region) =>
      Object.values(profiles[region] ?? {})
        .filter((id) => !bases.has(id))
        .map((id) => `${region} ${prefix}${id}`),
    ),
  );
  expect(allowed.sort()).toEqual(named.sort());
});

describe("the models behind the profiles", () => {
  const calls = statementsOn("foundation-model").filter(({ Action }) => !Action.includes("bedrock:CountTokens"));
  const through = { "bedrock:InferenceProfileArn": `arn:aws:bedrock:*:${account}:inference-profile/*` };

  test("the models behind the profiles may be called through a profile only", () => {
    expect(calls.map(({ Condition }) => (Condition as { ArnLike?: object })?.ArnLike)).toEqual(
      calls.map(() => through),
    );
  });

  test("the models behind the profiles may be called in every region of the geography, since AWS chooses where a profile routes", () => {
    const inGeographies = calls.flatMap(({ Resource }) => Resource).filter((resource) => !resource.includes(":::"));
    expect(inGeographies).toEqual([
      "arn:aws:bedrock:eu-*::foundation-model/*",
      "arn:aws:bedrock:us-*::foundation-model/*",
    ]);
  });

  test("models behind profiles may be called only in geographies for which the catalog has a profile", () => {
    const [model] = catalog.models;
    if (!model) throw new Error("the catalog is empty");
    const european = { ...model, profiles: { "eu-central-1": { geography: `eu.${model.base_id}` } } };
    const rights = modelRights(account, { ...catalog, models: [european as typeof model] });
    expect(rights.flatMap(({ resources }) => resources).filter((one) => one.endsWith("foundation-model/*"))).toEqual([
      "arn:aws:bedrock:eu-*::foundation-model/*",
    ]);
  });

  test("the models behind the profiles may be called in no region exactly if the profile is global", () => {
    const [everywhere, ...others] = calls.filter(({ Resource }) => Resource.some((one) => one.includes(":::")));
    expect(others).toEqual([]);
    expect(everywhere?.Resource).toEqual(["arn:aws:bedrock:::foundation-model/*"]);
    expect(everywhere?.Condition).toMatchObject({ StringEquals: { "aws:RequestedRegion": "unspecified" } });
  });
});

describe("of all profiles in all regions", () => {
  const iam = new Iam(resources(aRole("host", statements)));
  const may = async (resource: string, region: string, context = {}) => {
    const call = { action: "bedrock:InvokeModel", resource, context: { "aws:RequestedRegion": region, ...context } };
    return (await iam.decide(aPrincipal("host"), call)).allowed;
  };
  /** A call needs all rights: on the profile, on the model, and on the model in no region if the profile is global. */
  const mayThrough = async (id: string, base: string, region: string) => {
    const profile = `arn:aws:bedrock:${region}:${account}:inference-profile/${id}`;
    const through = { "bedrock:InferenceProfileArn": profile };
    const inRegion = await may(`arn:aws:bedrock:${region}::foundation-model/${base}`, region, through);
    const inNone = await may(`arn:aws:bedrock:::foundation-model/${base}`, "unspecified", through);
    return (await may(profile, region)) && inRegion && (inNone || !id.startsWith("global."));
  };

  test.each(catalog.models.map((model) => [model.id, model] as const))(
    "%s may be called only through the inference profiles that the catalog names for it in each region",
    async (_, model) => {
      for (const region of regions) {
        for (const id of ["eu", "us", "global", "apac"].map((prefix) => `${prefix}.${model.base_id}`)) {
          const named = Object.values(model.profiles[region] ?? {}).includes(id);
          expect([region, id, await mayThrough(id, model.base_id, region)]).toEqual([region, id, named]);
        }
        expect(await may(`arn:aws:bedrock:${region}::foundation-model/${model.base_id}`, region)).toBe(false);
      }
    },
  );

  test("an inference profile of a model that is not in the catalog is denied, and so is one that the account created", async () => {
    expect(await mayThrough("eu.anthropic.claude-2", "anthropic.claude-2", "eu-central-1")).toBe(false);
    const own = `arn:aws:bedrock:eu-central-1:${account}:application-inference-profile/a1b2c3`;
    const model = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-5";
    expect(await may(own, "eu-central-1")).toBe(false);
    expect(await may(model, "eu-central-1", { "bedrock:InferenceProfileArn": own })).toBe(false);
  });
});

test("a model may be called without a profile only in a region where the catalog has no profile of higher priority", () => {
  const [model] = catalog.models;
  if (!model) throw new Error("the catalog is empty");
  const inRegion = {
    ...model,
    profiles: { "us-east-1": { region: model.base_id, anywhere: `global.${model.base_id}` } },
  };
  const rights = modelRights(account, { ...catalog, models: [inRegion as typeof model] });
  expect(rights.filter(({ resources }) => resources.includes(direct(model.base_id)))).toHaveLength(1);
  const everything = modelRights(account, catalog).flatMap(({ resources }) => resources);
  expect(everything.filter((resource) => resource.startsWith(direct("")))).toEqual([]);
});

test("a model host's role may only call and count models, and only the resources of models behind profiles end in a wildcard", () => {
  expect([...new Set(statements.flatMap(({ Action }) => Action))].sort()).toEqual([
    "bedrock-mantle:CountTokens",
    "bedrock:CountTokens",
    "bedrock:InvokeModel",
    "bedrock:InvokeModelWithResponseStream",
  ]);
  const resources = statements.flatMap(({ Resource, Condition }) =>
    Resource.filter((resource) => !(resource.endsWith("::foundation-model/*") && isThroughProfile(Condition))),
  );
  const named =
    /^arn:aws:(bedrock:(\*|[a-z]+-\*|):\d*:[a-z-]+\/[a-z0-9.:-]+|bedrock-mantle:[a-z0-9-]+:\d+:project\/default)$/;
  expect(resources.filter((resource) => !named.test(resource))).toEqual([]);
});

test("each model may be counted by the endpoint and in the regions that the catalog names for it, and nowhere else", () => {
  const counted = (by: string) =>
    catalog.models.filter(({ capabilities: { count_tokens } }) =>
      Object.values(count_tokens === "none" ? {} : count_tokens).every(({ endpoint }) => endpoint === by),
    );
  const baseIds = (by: string) => counted(by).map(({ base_id }) => base_id);
  const [runtime] = statements.filter(({ Action }) => Action.includes("bedrock:CountTokens"));
  expect(runtime).toMatchObject({
    Resource: baseIds("runtime").map((id) => `arn:aws:bedrock:*::foundation-model/${id}`),
    Condition: { StringEquals: { "aws:RequestedRegion": ["eu-central-1", "us-east-1", "eu-central-2"] } },
  });
  const [messages] = statements.filter(({ Action }) => Action.includes("bedrock-mantle:CountTokens"));
  expect(messages).toMatchObject({
    Resource: ["eu-west-1", "us-east-1"].map((region) => `arn:aws:bedrock-mantle:${region}:${account}:project/default`),
    Condition: { StringEquals: { "bedrock-mantle:Model": baseIds("messages") } },
  });
  expect([...baseIds("runtime"), ...baseIds("messages")]).toHaveLength(catalog.models.length);
});

test("a model that cannot be counted gives no right to count", async () => {
  const countless = catalog.models.map((model) => ({
    ...model,
    capabilities: { ...model.capabilities, count_tokens: "none" as const },
  }));
  const rights = modelRights(account, { ...catalog, models: countless });
  expect(countless.length).toBeGreaterThan(0);
  expect(rights.flatMap(({ actions }) => actions).filter((action) => action.includes("CountTokens"))).toEqual([]);
});

function direct(baseId: string): string {
  return `arn:aws:bedrock:us-east-1::foundation-model/${baseId}`;
}

function isThroughProfile(condition: object | undefined): boolean {
  const { ArnLike } = (condition ?? {}) as { ArnLike?: Record<string, string> };
  return ArnLike?.["bedrock:InferenceProfileArn"] === `arn:aws:bedrock:*:${account}:inference-profile/*`;
}

function regionsOf(condition: object | undefined): string[] {
  return (condition as { StringEquals: Record<string, string[]> }).StringEquals["aws:RequestedRegion"] ?? [];
}

function statementsOn(kind: string): PolicyStatement[] {
  return statements.filter(({ Resource }) => Resource.some((resource) => resource.includes(`:${kind}/`)));
}

describe("families of which new models are taken up", () => {
  const families = modelRights(account, catalog, ["claude-opus"]);
  const added = families.filter(
    (one) => !modelRights(account, catalog).some((other) => JSON.stringify(other) === JSON.stringify(one)),
  );

  test("a stack that takes up no models names each profile", () => {
    expect(JSON.stringify(modelRights(account, catalog, []))).not.toContain("claude-opus-*");
  });

  test("the profiles of a named family may be called and counted by the beginning of their names, and no other family's", () => {
    expect(added.map(({ actions, resources }) => [actions[0], resources])).toEqual([
      ["bedrock:InvokeModel", [`arn:aws:bedrock:*:${account}:inference-profile/*.anthropic.claude-opus-*`]],
      ["bedrock-mantle:CountTokens", [`arn:aws:bedrock-mantle:*:${account}:project/default`]],
    ]);
    expect(added.map(({ conditions }) => conditions)).toEqual([
      { StringEquals: { "aws:RequestedRegion": [...regions] } },
      { StringLike: { "bedrock-mantle:Model": ["anthropic.claude-opus-*"] } },
    ]);
  });
});
