// How and where a model's tokens are counted, for callers of each region: by CountTokens of bedrock-runtime, or by the Messages
// API's count_tokens on bedrock-mantle, for models that the first does not serve.
import * as z from "zod";
import { geographyOf, type Region, regions } from "./region.ts";

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
} as const;

export type CountingEndpoint = keyof typeof endpointRegions;

const place = z.strictObject({
  endpoint: z.enum(["runtime", "messages"]),
  /** The region of the endpoint. It may lie outside of the platform's regions, never outside of the caller's geography. */
  region: z.string().min(1),
  /** Set if the endpoint knows the model by another id than its base id. */
  model_id: z.string().min(1).optional(),
});

/** Where tokens are counted, by the region that the caller asks for; `none` if nobody counts for the model. */
export const countingSchema = z.union([z.literal("none"), z.partialRecord(z.enum(regions), place)]);

export type Counting = z.infer<typeof countingSchema>;
export type CountingPlace = z.infer<typeof place>;

/** Where tokens are counted for callers of this region; undefined if nowhere. */
export function countingPlace(counting: Counting, region: Region): CountingPlace | undefined {
  return counting === "none" ? undefined : counting[region];
}

/** @param served the regions that serve the model; `staysThere` if the model's text does not leave the region */
export function countingProblems(
  counting: Counting,
  served: readonly { region: Region; staysThere: boolean }[],
): string[] {
  if (counting === "none") return [];
  return served.flatMap(({ region, staysThere }) => {
    const place = counting[region];
    if (!place) return [`nothing says how tokens are counted for ${region}`];
    const problem = (text: string) => `counting for ${region} in ${place.region}: ${text}`;
    if (!(endpointRegions[place.endpoint] as readonly string[]).includes(place.region)) {
      return [problem(`AWS has no ${place.endpoint} endpoint that counts there`)];
    }
    if (geographyOf(place.region) !== geographyOf(region)) return [problem("the text would leave its geography")];
    if (staysThere && place.region !== region) return [problem("the model is served without leaving the region")];
    return [];
  });
}
