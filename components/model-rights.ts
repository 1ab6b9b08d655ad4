// The rights to call the catalog's models: their inference profiles in the platform's regions, and the models behind them.
import * as pulumi from "@pulumi/pulumi";
import { regions } from "../domain/access/region.ts";
import type { Catalog } from "../domain/catalog/catalog.ts";
import { type CountingEndpoint, countingPlace } from "../domain/catalog/counting.ts";
import type { Statement } from "./link.ts";

const actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];
const foundationModel = (id: string) => `arn:aws:bedrock:*::foundation-model/${id}`;

/** A profile routes to models in regions that AWS chooses, so the models' own ARNs are allowed in every region. */
export function modelRights(account: pulumi.Input<string>, catalog: Catalog): Statement[] {
  const ids = new Set(catalog.models.flatMap((model) => Object.values(model.profiles).flat()));
  const bases = catalog.models.map((model) => model.base_id);
  const profiles = [...ids].filter((id) => !bases.includes(id));
  const inRegions = { StringEquals: { "aws:RequestedRegion": [...regions] } };
  return [
    {
      actions,
      resources: profiles.map((id) => pulumi.interpolate`arn:aws:bedrock:*:${account}:inference-profile/${id}`),
      conditions: inRegions,
    },
    { actions, resources: bases.map(foundationModel) },
    ...countingRights(account, catalog),
  ].filter(({ resources }) => resources.length > 0);
}

/**
 * Two endpoints, two actions. That of bedrock-mantle knows no models as resources: calls that name no project are the default
 * project's, and a condition names the models (docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-mantle.html).
 */
function countingRights(account: pulumi.Input<string>, { models }: Catalog): Statement[] {
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
      resources: runtime.ids.map(foundationModel),
      conditions: { StringEquals: { "aws:RequestedRegion": runtime.regions } },
    },
    {
      actions: ["bedrock-mantle:CountTokens"],
      resources: messages.regions.map(
        (region) => pulumi.interpolate`arn:aws:bedrock-mantle:${region}:${account}:project/default`,
      ),
      conditions: { StringEquals: { "bedrock-mantle:Model": messages.ids } },
    },
  ];
}
