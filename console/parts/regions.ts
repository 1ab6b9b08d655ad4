// Regions by their places, with the id that calls name. AWS's names: https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
import type { Answer } from "../app/api.ts";
import { platform } from "../app/platform.ts";

type Region = NonNullable<Answer<"GET /v1/tenants/my">["default_region"]>;

const places: Readonly<Record<Region, string>> = {
  "eu-central-1": "Frankfurt",
  "eu-central-2": "Zurich",
  "us-east-1": "N. Virginia",
};

const isKnown = (region: string): region is Region => region in places;

export const regionName = (region: string): string => (isKnown(region) ? `${places[region]} (${region})` : region);

/** The platform's regions, for a form. */
export const regionOptions = () => platform().regions.map((region) => [region, regionName(region)] as const);
