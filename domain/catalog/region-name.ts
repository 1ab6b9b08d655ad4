// The name of a region in requests and answers.
import * as z from "zod";
import { regions } from "./region.ts";

export const regionName = z
  .enum(regions, { error: () => `must be one of ${regions.join(", ")}` })
  .meta({ id: "Region", description: "An AWS region in which models are called" });
