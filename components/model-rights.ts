// The rights to call the catalog's models: their inference profiles in the platform's regions, and the models behind them.
import * as pulumi from "@pulumi/pulumi";
import { regions } from "../domain/access/region.ts";
import type { Catalog } from "../domain/catalog/catalog.ts";
import type { Statement } from "./link.ts";

const actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];

/** A profile routes to models in regions that AWS chooses, so the models' own ARNs are allowed in every region. */
export function modelRights(account: pulumi.Input<string>, catalog: Catalog): Statement[] {
  const ids = new Set(catalog.models.flatMap((model) => Object.values(model.profiles).flat()));
  const bases = catalog.models.map((model) => model.base_id);
  const profiles = [...ids].filter((id) => !bases.includes(id));
  const counted = catalog.models.flatMap(({ capabilities: { count_tokens } }) =>
    count_tokens.kind === "runtime" ? [count_tokens.model_id] : [],
  );
  const foundationModel = (id: string) => `arn:aws:bedrock:*::foundation-model/${id}`;
  const inRegions = { StringEquals: { "aws:RequestedRegion": [...regions] } };
  return [
    {
      actions,
      resources: profiles.map((id) => pulumi.interpolate`arn:aws:bedrock:*:${account}:inference-profile/${id}`),
      conditions: inRegions,
    },
    { actions, resources: bases.map(foundationModel) },
    { actions: ["bedrock:CountTokens"], resources: counted.map(foundationModel), conditions: inRegions },
  ].filter(({ resources }) => resources.length > 0);
}
