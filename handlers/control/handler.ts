// The control plane: finds the route, knows the caller, reads the request, operates once, answers. Errors become answers in refuse.
import middy from "@middy/core";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { TenantStatus } from "../../domain/tenancy/tenant.ts";
import { authentication } from "../middleware/authenticate.ts";
import { authorization } from "../middleware/authorize.ts";
import { csvOf } from "../middleware/csv.ts";
import { notFound } from "../middleware/not-found.ts";
import { type ObservedEvent, observe } from "../middleware/observe.ts";
import { refuse } from "../middleware/refuse.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import { auditOperations } from "./audit.ts";
import type { ControlDependencies } from "./dependencies.ts";
import { grantOperations } from "./grants.ts";
import { type Endpoint, implement } from "./implement.ts";
import { keyOperations } from "./keys.ts";
import { meOperations } from "./me.ts";
import { operateOnce } from "./once.ts";
import { type Format, readParameters, readRequest } from "./request.ts";
import { routes } from "./routes.ts";
import { tenantOperations } from "./tenants.ts";
import { usageOperations } from "./usage.ts";
import { userOperations } from "./users.ts";

type Result = APIGatewayProxyStructuredResultV2;

export function controlHandler(deps: ControlDependencies) {
  const endpoints = implement(routes, {
    me: meOperations(deps),
    tenants: tenantOperations(deps),
    users: userOperations(deps),
    grants: grantOperations(deps),
    keys: keyOperations(deps),
    usage: usageOperations(deps),
    audit: auditOperations(deps),
  });
  return serve(endpoints, deps);
}

/** What serving needs, whatever is served. */
type ServingDependencies = Pick<
  ControlDependencies,
  "tokens" | "users" | "tenants" | "idempotency" | "clock" | "log" | "settings"
>;

export function serve(endpoints: Endpoint[], deps: ServingDependencies) {
  const { tokens, clock, log, settings } = deps;
  const authenticate = authentication({ tokens, scopePrefix: settings.scopePrefix });
  const authorize = authorization(deps);

  const router = httpRouter<APIGatewayProxyEventV2, Result>({
    routes: endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      handler: (event: ObservedEvent, context: Context) => respond(endpoint, event, context),
    })),
    notFoundResponse: notFound(endpoints),
  });
  return middy<ObservedEvent, Result>().use(observe(log, clock)).use(refuse({ log })).handler(router);

  async function respond(endpoint: Endpoint, event: ObservedEvent, context: Context): Promise<Result> {
    event.route = `${endpoint.method} ${endpoint.path}`;
    // The log line of a request that is refused from here on says whose it was.
    event.caller = await authenticate(event);
    const parameters = readParameters(event);
    const caller = await authorize(endpoint.access, event.caller, parameters, openIn(endpoint));
    event.caller = caller;
    const { idempotencyKey, format, ...parts } = readRequest(event, endpoint);
    const request = { caller, parameters, ...parts };
    const answer = await operateOnce(endpoint, request, idempotencyKey, deps);
    return success(endpoint, format, answer, requestIdOf(context));
  }
}

function openIn({ method, openIn }: Endpoint): TenantStatus {
  return openIn ?? (method === "GET" ? "suspended" : "active");
}

function success(
  { status, response, csv, versionedBy }: Endpoint,
  format: Format,
  answer: unknown,
  requestId: string,
): Result {
  const headers = {
    "request-id": requestId,
    "cache-control": "no-store",
    ...(response && versionedBy && { etag: `"${new Map(Object.entries(answer ?? {})).get(versionedBy) ?? 0}"` }),
  };
  if (!response) return { statusCode: status, headers };
  if (csv && format === "csv") {
    const table = csvOf(csv, answer);
    return { statusCode: status, headers: { ...headers, ...table.headers }, body: table.body };
  }
  return {
    statusCode: status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(answer),
  };
}
