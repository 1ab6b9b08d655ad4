// A catalog's facts of Bedrock: how the ids of profiles are spelt, and where tokens are counted. Whoever promises a place relies on them.
import type { Catalog, Model } from "../../domain/catalog/catalog.ts";
import { countingPlace } from "../../domain/catalog/counting.ts";
import { geographyOf, type Region, regions } from "../../domain/catalog/region.ts";

/** The problems of a catalog, each with its model; none if all that it says of Bedrock can be. */
export function bedrockProblems({ models }: Catalog): string[] {
  return models.flatMap((model) =>
    regions
      .flatMap((region) => [...profileProblems(model, region), ...countingProblems(model, region)])
      .map((problem) => `${model.id}: ${problem}`),
  );
}

/** Ids of profiles: docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html. A model's own id does not leave the region. */
function profileProblems({ base_id, profiles }: Model, region: Region): string[] {
  const spelt = { region: base_id, geography: `${geographyOf(region)}.${base_id}`, anywhere: `global.${base_id}` };
  return Object.entries(profiles[region] ?? {}).flatMap(([reach, id]) => {
    const right = spelt[reach as keyof typeof spelt];
    return id === right ? [] : [`the profile ${id} of ${region} (${reach}) must be ${right}`];
  });
}

/**
 * AWS's regions with each endpoint, as far as they lie in the platform's geographies (2026-11). CountTokens:
 * docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html, "Supported models and Regions". The Messages endpoint:
 * bedrock-mantle.html and endpoints-region-availability.html of the same guide; eu-central-2 has none.
 */
const endpointRegions = {
  runtime: ["eu-central-1", "eu-central-2", "eu-west-1", "eu-west-2", "us-east-1", "us-east-2", "us-west-2"],
  messages: [
    ...["eu-central-1", "eu-north-1", "eu-south-1", "eu-west-1", "eu-west-2"],
    ...["us-east-1", "us-east-2", "us-west-2"],
  ],
};

function countingProblems({ capabilities }: Model, region: Region): string[] {
  const place = countingPlace(capabilities.count_tokens, region);
  if (!place || endpointRegions[place.endpoint].includes(place.region)) return [];
  return [`counting for ${region} in ${place.region}: AWS has no ${place.endpoint} endpoint that counts there`];
}
