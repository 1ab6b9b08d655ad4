// The proxy: which endpoint answers what. Everything that it says no to leaves in the one error shape.
import middy, { type MiddlewareObj } from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpRouter, { type Route } from "@middy/http-router";
import type { APIGatewayProxyResultV2 } from "aws-lambda";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { Telemetry } from "../../domain/messages/telemetry.ts";
import { notFound } from "../middleware/not-found.ts";
import { refuse } from "../middleware/refuse.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import { countTokens } from "./count-tokens.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { droppedHeader } from "./dropped-header.ts";
import { refusalHeaders } from "./limit-headers.ts";
import { messages } from "./messages.ts";
import { getModel, listModels } from "./models.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { type ProxyServices, proxyServices } from "./services.ts";

type ProxyRoute = Route<ProxyEvent, APIGatewayProxyResultV2>;

export function proxyHandler(deps: ProxyDependencies) {
  const services = proxyServices(deps);
  const routes = deps.settings.vendorSegments.flatMap((segment) => routesUnder(`/${segment}/v1`, services));
  return middy({ executionMode: executionModeStreamifyResponse, requestEnd: endOf(services) })
    .use(countRefusals(deps.telemetry))
    .use(
      refuse({
        log: deps.log,
        factsOf: (event: ProxyEvent) => event.facts,
        headersOf: (refusal, { dropped = [] }) => ({ ...refusalHeaders(refusal), ...droppedHeader(dropped) }),
        budgetStatus: deps.settings.budgetStatus,
      }),
    )
    .handler(httpRouter<ProxyEvent, APIGatewayProxyResultV2>({ routes, notFoundResponse: notFound(routes) }));
}

function routesUnder(base: string, services: ProxyServices): ProxyRoute[] {
  return [
    // Middy's types know bodies of text only; that of messages is a stream.
    { method: "POST", path: `${base}/messages`, handler: messages(services) as unknown as ProxyRoute["handler"] },
    { method: "POST", path: `${base}/messages/count_tokens`, handler: countTokens(services) },
    // For any method, host and credential (design, section 6).
    { method: "ANY", path: `${base}/messages/batches`, handler: batches },
    { method: "ANY", path: `${base}/messages/batches/{proxy+}`, handler: batches },
    { method: "GET", path: `${base}/models`, handler: listModels(services) },
    { method: "GET", path: `${base}/models/{id}`, handler: getModel(services) },
  ];
}

/** Middy's hook for the end of a request. The function may be frozen once its invocation ends, so that ends after it. */
function endOf({ lastUseWriter }: ProxyServices) {
  return async ({ event }: { event: unknown }): Promise<void> => {
    const { inFlight, used } = event as ProxyEvent;
    await inFlight?.settle({});
    if (used?.keyId) await lastUseWriter.note(used.keyId);
  };
}

async function batches(): Promise<never> {
  throw new Refusal("batches_unavailable", "The batch API is not available.");
}

/** Middy calls `onError` from the last to the first, so the answer is there already. */
function countRefusals(telemetry: Telemetry): MiddlewareObj<ProxyEvent> {
  return {
    onError: ({ error, event, context }) =>
      telemetry.refused(
        error instanceof Refusal ? error.code : "internal",
        event.facts ?? { request_id: requestIdOf(context) },
      ),
  };
}
