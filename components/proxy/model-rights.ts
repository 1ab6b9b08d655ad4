// The rights to call the catalog's models: through their inference profiles, from the platform's regions.

import { type Catalog, type Model, profilesByRegion } from "../../domain/catalog/catalog.ts";
import { type CountingEndpoint, countingPlace } from "../../domain/catalog/counting.ts";
import { geographyOf, type Region, regions } from "../../domain/catalog/region.ts";
import type { Statement } from "../link.ts";

const actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];

/**
 * A call through a profile needs the right on the profile, in the region that is called, and on the model wherever the
 * profile may route it; a global profile routes to no region at all
 * (docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html, global-cross-region-inference.html).
 */
export function modelRights(account: string, catalog: Catalog, families: readonly string[] = []): Statement<string>[] {
  return [
    ...profileRights(account, catalog),
    ...familyRights(account, families),
    ...routedModelRights(account, catalog),
    ...directRights(catalog),
    ...countingRights(account, catalog),
  ].filter(({ resources }) => resources.length > 0);
}

/** The profiles, by the regions that they are called in: those of the same regions are one statement, which keeps it short. */
function profileRights(account: string, catalog: Catalog): Statement<string>[] {
  const sources = new Map<string, Region[]>();
  for (const model of catalog.models) {
    for (const region of regions) {
      for (const id of routing(model, region)) sources.set(id, [...(sources.get(id) ?? []), region]);
    }
  }
  const byRegions = Map.groupBy([...sources], ([, from]) => from.join(" "));
  return [...byRegions].map(([from, profiles]) => ({
    actions,
    resources: profiles.map(([id]) => profileArn("*", account, id)),
    conditions: { StringEquals: { "aws:RequestedRegion": from.split(" ") } },
  }));
}

/**
 * The profiles of families of which new models are taken up, known by the beginning of their names (docs/decisions/0011), and the right to count
 * for them where the newest models are counted.
 */
function familyRights(account: string, families: readonly string[]): Statement<string>[] {
  if (families.length === 0) return [];
  return [
    {
      actions,
      resources: families.map((family) => profileArn("*", account, `*.anthropic.${family}-*`)),
      conditions: { StringEquals: { "aws:RequestedRegion": [...regions] } },
    },
    {
      actions: ["bedrock-mantle:CountTokens"],
      resources: [`arn:aws:bedrock-mantle:*:${account}:project/default`],
      conditions: { StringLike: { "bedrock-mantle:Model": families.map((family) => `anthropic.${family}-*`) } },
    },
  ];
}

/** The profiles that may lead out of the region: the one of the region alone is the model itself. */
function routing({ profiles }: Model, region: Region): string[] {
  const { geography, anywhere } = profiles[region] ?? {};
  return [geography, anywhere].filter((id) => id !== undefined);
}

/**
 * The models behind the profiles, and nothing without one. Which of the account's profiles and so which models it is, is said
 * above: a call needs both rights, and naming each model once more for each geography would be most of the text.
 */
function routedModelRights(account: string, { models }: Catalog): Statement<string>[] {
  const through = { "bedrock:InferenceProfileArn": profileArn("*", account, "*") };
  const anyModelIn = (region: string) => `arn:aws:bedrock:${region}::foundation-model/*`;
  const sources = regions.filter((region) => models.some((model) => routing(model, region).length > 0));
  const geographies = new Set(sources.map(geographyOf));
  const isGlobal = models.some(({ profiles }) =>
    Object.values(profiles).some(({ anywhere }) => anywhere !== undefined),
  );
  return [
    {
      actions,
      resources: [...geographies].map((geography) => anyModelIn(`${geography}-*`)),
      conditions: { ArnLike: through },
    },
    {
      actions,
      resources: isGlobal ? [anyModelIn("")] : [],
      conditions: { ArnLike: through, StringEquals: { "aws:RequestedRegion": "unspecified" } },
    },
  ];
}

/** The models that a catalog calls without a profile, because it has none in that region that would go first. */
function directRights(catalog: Catalog): Statement<string>[] {
  return regions.map((region) => ({
    actions,
    resources: catalog.models
      .filter((model) => [true, false].some((allowGlobal) => chosen(model, region, allowGlobal) === model.base_id))
      .map(({ base_id }) => `arn:aws:bedrock:${region}::foundation-model/${base_id}`),
  }));
}

function chosen(model: Model, region: Region, allowGlobal: boolean): string | undefined {
  return profilesByRegion(model, { allowGlobal })[region];
}

/**
 * Two endpoints, two actions. That of bedrock-mantle knows no models as resources: calls that name no project are the default
 * project's, and a condition names the models (docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-mantle.html).
 */
function countingRights(account: string, { models }: Catalog): Statement<string>[] {
  const countedBy = (wanted: CountingEndpoint) => {
    const places = models.flatMap(({ base_id, profiles, capabilities: { count_tokens } }) =>
      regions.flatMap((region) => {
        const place = profiles[region] && countingPlace(count_tokens, region);
        return place?.endpoint === wanted ? { region: place.region, id: place.model_id ?? base_id } : [];
      }),
    );
    return {
      regions: [...new Set(places.map(({ region }) => region))],
      ids: [...new Set(places.map(({ id }) => id))],
    };
  };
  const [runtime, messages] = [countedBy("runtime"), countedBy("messages")];
  return [
    {
      actions: ["bedrock:CountTokens"],
      resources: runtime.ids.map((id) => `arn:aws:bedrock:*::foundation-model/${id}`),
      conditions: { StringEquals: { "aws:RequestedRegion": runtime.regions } },
    },
    {
      actions: ["bedrock-mantle:CountTokens"],
      resources: messages.regions.map((region) => `arn:aws:bedrock-mantle:${region}:${account}:project/default`),
      conditions: { StringEquals: { "bedrock-mantle:Model": messages.ids } },
    },
  ];
}

function profileArn(region: string, account: string, id: string): string {
  return `arn:aws:bedrock:${region}:${account}:inference-profile/${id}`;
}
