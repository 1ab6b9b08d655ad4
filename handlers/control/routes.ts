// All routes of the control plane by noun, as data. The router and the OpenAPI document follow from them.
import { auditRoutes } from "./audit.routes.ts";
import { billingRoutes } from "./billing.routes.ts";
import { grantRoutes } from "./grants.routes.ts";
import { keyRoutes } from "./keys.routes.ts";
import { meRoutes } from "./me.routes.ts";
import { tenantRoutes } from "./tenants.routes.ts";
import { usageRoutes } from "./usage.routes.ts";
import { userRoutes } from "./users.routes.ts";

export const routes = {
  me: meRoutes,
  tenants: tenantRoutes,
  users: userRoutes,
  grants: grantRoutes,
  keys: keyRoutes,
  usage: usageRoutes,
  billing: billingRoutes,
  audit: auditRoutes,
};
