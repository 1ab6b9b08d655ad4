// All routes of the control plane by noun, as data. The router and the OpenAPI document follow from them.

import { callerRoutes } from "./access/callers.routes.ts";
import { catalogRoutes } from "./access/catalog.routes.ts";
import { grantRoutes } from "./access/grants.routes.ts";
import { keyRoutes } from "./access/keys.routes.ts";
import { billingRoutes } from "./billing/billing.routes.ts";
import { callRoutes } from "./ledger/calls.routes.ts";
import { usageRoutes } from "./ledger/usage.routes.ts";
import { mcpGatewayRoutes } from "./mcp/mcp-gateway.routes.ts";
import { mcpProviderRoutes } from "./mcp/mcp-providers.routes.ts";
import { mcpServerRoutes } from "./mcp/mcp-servers.routes.ts";
import { mcpSpecRoutes } from "./mcp/mcp-specs.routes.ts";
import { runRoutes } from "./runs/runs.routes.ts";
import { secretRoutes } from "./skills/secrets.routes.ts";
import { skillEnvironmentRoutes } from "./skills/skill-environments.routes.ts";
import { skillRoutes } from "./skills/skills.routes.ts";
import { auditRoutes } from "./workspace/audit.routes.ts";
import { meRoutes } from "./workspace/me.routes.ts";
import { tenantRoutes } from "./workspace/tenants.routes.ts";
import { userRoutes } from "./workspace/users.routes.ts";

export const routes = {
  me: meRoutes,
  tenants: tenantRoutes,
  users: userRoutes,
  catalog: catalogRoutes,
  callers: callerRoutes,
  grants: grantRoutes,
  keys: keyRoutes,
  usage: usageRoutes,
  calls: callRoutes,
  billing: billingRoutes,
  mcpGateway: mcpGatewayRoutes,
  mcpProviders: mcpProviderRoutes,
  mcpServers: mcpServerRoutes,
  mcpSpecs: mcpSpecRoutes,
  skills: { ...skillRoutes, ...skillEnvironmentRoutes, ...runRoutes },
  secrets: secretRoutes,
  audit: auditRoutes,
};
