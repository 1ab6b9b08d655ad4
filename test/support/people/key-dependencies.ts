// Dependencies of the use cases of API keys besides the stores: the catalog, plain hashes, and limits of the stack.
import { randomBytes } from "node:crypto";
import { grantBody } from "../../../domain/access/grant.ts";
import { deleteGrant, replaceGrant } from "../../../domain/access/grant-change.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { ann, type memoryStores } from "./memory-stores.ts";

export const limits = { allowed_models: ["*"], allowed_regions: ["us-east-1"], monthly_budget_usd: 1 };
export const serviceAccount = { name: "CI", kind: "service_account", grant: limits };

const catalog = parseCatalog(catalogData);

export function keyDependencies(stores: Awaited<ReturnType<typeof memoryStores>>) {
  const deps = {
    ...stores,
    catalog,
    hashApiKey: async (key: string) => `hash of ${key}`,
    random: randomBytes,
    settings: { defaultMaxInFlight: 64, maxServiceAccounts: 100 },
  };
  return {
    ...deps,
    giveGrant: (sub: string, changes: object = {}) =>
      replaceGrant(deps, ann, sub, grantBody.parse({ ...limits, ...changes }), undefined),
    takeGrant: (sub: string) => deleteGrant(deps, ann, sub, undefined),
  };
}
