// The nouns of the control plane: each with its routes and their operations. A noun has its line here; the router, the OpenAPI document, the console's
// types, and the tests of access follow.

import { callerRoutes } from "./access/callers.routes.ts";
import { callerOperations } from "./access/callers.ts";
import { catalogRoutes } from "./access/catalog.routes.ts";
import { catalogOperations } from "./access/catalog.ts";
import { grantRoutes } from "./access/grants.routes.ts";
import { grantOperations } from "./access/grants.ts";
import { keyRoutes } from "./access/keys.routes.ts";
import { keyOperations } from "./access/keys.ts";
import { billingRoutes } from "./billing/billing.routes.ts";
import { billingOperations } from "./billing/billing.ts";
import type { ControlDependencies } from "./dependencies.ts";
import { callRoutes } from "./ledger/calls.routes.ts";
import { callOperations } from "./ledger/calls.ts";
import { usageRoutes } from "./ledger/usage.routes.ts";
import { usageOperations } from "./ledger/usage.ts";
import { mcpGatewayRoutes } from "./mcp/mcp-gateway.routes.ts";
import { mcpGatewayOperations } from "./mcp/mcp-gateway.ts";
import { mcpProviderRoutes } from "./mcp/mcp-providers.routes.ts";
import { mcpProviderOperations } from "./mcp/mcp-providers.ts";
import { mcpServerRoutes } from "./mcp/mcp-servers.routes.ts";
import { mcpServerOperations } from "./mcp/mcp-servers.ts";
import { mcpSpecRoutes } from "./mcp/mcp-specs.routes.ts";
import { mcpSpecOperations } from "./mcp/mcp-specs.ts";
import { noun, routesOf } from "./routing/noun.ts";
import { runRoutes } from "./runs/runs.routes.ts";
import { runOperations } from "./runs/runs.ts";
import { secretRoutes } from "./skills/secrets.routes.ts";
import { secretOperations } from "./skills/secrets.ts";
import { skillEnvironmentRoutes } from "./skills/skill-environments.routes.ts";
import { skillEnvironmentOperations } from "./skills/skill-environments.ts";
import { skillRoutes } from "./skills/skills.routes.ts";
import { skillOperations } from "./skills/skills.ts";
import { auditRoutes } from "./workspace/audit.routes.ts";
import { auditOperations } from "./workspace/audit.ts";
import { meRoutes } from "./workspace/me.routes.ts";
import { meOperations } from "./workspace/me.ts";
import { tenantRoutes } from "./workspace/tenants.routes.ts";
import { tenantOperations } from "./workspace/tenants.ts";
import { userRoutes } from "./workspace/users.routes.ts";
import { userOperations } from "./workspace/users.ts";

export const nouns = {
  me: noun(meRoutes, meOperations),
  tenants: noun(tenantRoutes, tenantOperations),
  users: noun(userRoutes, userOperations),
  catalog: noun(catalogRoutes, catalogOperations),
  callers: noun(callerRoutes, callerOperations),
  grants: noun(grantRoutes, grantOperations),
  keys: noun(keyRoutes, keyOperations),
  usage: noun(usageRoutes, usageOperations),
  calls: noun(callRoutes, callOperations),
  billing: noun(billingRoutes, billingOperations),
  mcpGateway: noun(mcpGatewayRoutes, mcpGatewayOperations),
  mcpProviders: noun(mcpProviderRoutes, mcpProviderOperations),
  mcpServers: noun(mcpServerRoutes, mcpServerOperations),
  mcpSpecs: noun(mcpSpecRoutes, mcpSpecOperations),
  skills: noun({ ...skillRoutes, ...skillEnvironmentRoutes, ...runRoutes }, (deps: ControlDependencies) => ({
    ...skillOperations(deps),
    ...skillEnvironmentOperations(deps),
    ...runOperations(deps),
  })),
  secrets: noun(secretRoutes, secretOperations),
  audit: noun(auditRoutes, auditOperations),
};

export const routes = routesOf(nouns);
