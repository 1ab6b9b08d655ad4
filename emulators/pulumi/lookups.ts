// Look-ups that a program makes in its account. An unknown one stops the start.
import { accountId } from "../aws/account.ts";
import type { Inputs } from "./descriptor.ts";

type Lookup = (inputs: Inputs, region: string) => Inputs;

/** The look-ups by Pulumi's token. */
export const lookups: Record<string, Lookup> = {
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId }),
  "aws:index/getRegion:getRegion": (_inputs, region) => ({ region, name: region }),
  // A managed policy's name is its id here, which a distribution's descriptor knows.
  "aws:cloudfront/getCachePolicy:getCachePolicy": (inputs) => ({ id: String(inputs.name) }),
  "aws:cloudfront/getOriginRequestPolicy:getOriginRequestPolicy": (inputs) => ({ id: String(inputs.name) }),
};
