// Look-ups that a program makes of its account. One that is not here stops the start.
import { accountId } from "../aws/account.ts";
import type { Inputs } from "./descriptor.ts";

type Lookup = (inputs: Inputs, region: string) => Inputs;

/** By Pulumi's token. */
export const lookups: Record<string, Lookup> = {
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId }),
  "aws:index/getRegion:getRegion": (_inputs, region) => ({ region, name: region }),
  // Managed policies go by their names here, which a distribution's descriptor knows.
  "aws:cloudfront/getCachePolicy:getCachePolicy": (inputs) => ({ id: String(inputs.name) }),
  "aws:cloudfront/getOriginRequestPolicy:getOriginRequestPolicy": (inputs) => ({ id: String(inputs.name) }),
};
