// How and where a model's tokens are counted, for callers of each region: by one of the model host's endpoints.
import * as z from "zod";
import { geographyOf, type Region, regions } from "./region.ts";

/** The endpoint that calls models, and one that has the Messages API's own count. */
const endpoints = ["runtime", "messages"] as const;

export type CountingEndpoint = (typeof endpoints)[number];

const place = z.strictObject({
  endpoint: z.enum(endpoints),
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
    if (geographyOf(place.region) !== geographyOf(region)) return [problem("the text would leave its geography")];
    if (staysThere && place.region !== region) return [problem("the model is served without leaving the region")];
    return [];
  });
}
