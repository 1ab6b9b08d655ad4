// The control plane: finds the operation, knows the caller, reads the request, answers. Errors become answers in refuse.
import middy from "@middy/core";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { authentication } from "../middleware/authenticate.ts";
import { notFound } from "../middleware/not-found.ts";
import { type ObservedEvent, observe } from "../middleware/observe.ts";
import { refuse } from "../middleware/refuse.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import { apiKeyOperations } from "./api-keys.ts";
import type { ControlDependencies } from "./dependencies.ts";
import { grantOperations } from "./grants.ts";
import { meOperations } from "./me.ts";
import type { Operation, OperationName, Operations } from "./operation.ts";
import { readRequest } from "./request.ts";
import { type Route, routes } from "./routes.ts";
import { tenantOperations } from "./tenants.ts";

type Result = APIGatewayProxyStructuredResultV2;

export function controlHandler(dependencies: ControlDependencies) {
  const { log, clock } = dependencies;
  const operations: Operations = {
    ...meOperations(dependencies),
    ...tenantOperations(dependencies),
    ...grantOperations(dependencies),
    ...apiKeyOperations(dependencies),
  };
  const authenticate = authentication({ ...dependencies, scopePrefix: dependencies.settings.scopePrefix });

  const routeOf = (name: OperationName) => {
    const route: Route = routes[name];
    const handler = middy<APIGatewayProxyEventV2, Result>()
      .before(({ event }: { event: ObservedEvent }) => {
        event.route = `${route.method} ${route.path}`;
      })
      .use(authenticate(route.access))
      .handler(async (event: ObservedEvent, context) => {
        const operation = operations[name] as Operation<OperationName>;
        const answer = await operation(readRequest(event, route) as never);
        return success(route, answer, requestIdOf(context));
      });
    return { method: route.method, path: route.path, handler };
  };

  const names = Object.keys(routes) as OperationName[];
  const router = httpRouter<APIGatewayProxyEventV2, Result>({
    routes: names.map(routeOf),
    notFoundResponse: notFound(Object.values(routes)),
  });
  return middy<ObservedEvent, Result>().use(observe(log, clock)).use(refuse({ log })).handler(router);
}

function success(route: Route, answer: unknown, requestId: string): Result {
  const headers = { "request-id": requestId, "cache-control": "no-store" };
  if (!route.response) return { statusCode: route.status, headers };
  return {
    statusCode: route.status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(route.response.parse(answer)),
  };
}
