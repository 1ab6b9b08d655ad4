// The catalog over HTTP.
import { accessOf } from "../../../domain/access/grant.ts";
import { offersFor } from "../../../domain/catalog/offer.ts";
import { requireGrant } from "../../../domain/keys/key-access.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { catalogRoutes } from "./catalog.routes.ts";

type Dependencies = Pick<ControlDependencies, "grants" | "catalog" | "clock">;

export function catalogOperations({ grants, catalog, clock }: Dependencies): Operations<typeof catalogRoutes> {
  return {
    async getCatalog({ caller }) {
      await requireGrant(grants, caller);
      return { data: offersFor(catalog, accessOf(await grants.get(caller.tenantId, caller.sub)), clock()) };
    },
  };
}
