// The proxy's function: which endpoint answers what, how its answer is sent, and what is done once it is sent. It streams, so it is
// written for Lambda's streaming interface directly, and each refusal becomes an answer here.
import { finished } from "node:stream/promises";
import httpRouter, { type Route } from "@middy/http-router";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { notFound } from "../middleware/not-found.ts";
import { refusalOf } from "../middleware/refusal-response.ts";
import { AnswerStream } from "./answer-stream.ts";
import { callOf, type ProxyCall, type ProxyEvent } from "./call.ts";
import { countTokens } from "./count-tokens.ts";
import { allowedOrigin, preflight, readableBy } from "./cross-origin.ts";
import type { ProxyDependencies, ProxySettings } from "./dependencies.ts";
import { messages } from "./messages.ts";
import { getModel, listModels } from "./models.ts";
import { type Answer, refused } from "./response.ts";
import { type ProxyServices, proxyServices } from "./services.ts";

type ProxyRoute = Pick<Route<ProxyEvent, never>, "method" | "path"> & {
  handler: (event: ProxyEvent) => Promise<Answer>;
};

export function proxyHandler(deps: ProxyDependencies) {
  const services = proxyServices(deps);
  const routes = deps.settings.vendorSegments.flatMap((segment) => routesUnder(`/${segment}/v1`, services));
  // The router passes on what a route gives; its types know Lambda's own results only.
  const router = httpRouter({
    routes: routes as never[],
    notFoundResponse: notFound(routes, baseUrlAdvice(deps.settings)),
  });
  const answerOf = router as unknown as ProxyRoute["handler"];

  return awslambda.streamifyResponse(
    async (event: APIGatewayProxyEventV2, stream: awslambda.HttpResponseStream, context: Context) => {
      const call = callOf(event, context, services.clock());
      await services.catalog.freshen?.();
      const origin = await allowedOrigin(services, call);
      const isPreflight = origin !== undefined && event.requestContext.http.method === "OPTIONS";
      const answered = isPreflight ? async () => preflight(call) : () => answerOf(Object.assign(event, { call }));
      const answer = await inTry(answered).catch((error) => refused(services, call, refusalOf(error)));
      await send(services, call, origin === undefined ? answer : readableBy(origin, answer), stream);
    },
  );
}

function routesUnder(base: string, services: ProxyServices): ProxyRoute[] {
  return [
    { method: "POST", path: `${base}/messages`, handler: messages(services) },
    { method: "POST", path: `${base}/messages/count_tokens`, handler: countTokens(services) },
    // Batches are refused whatever the method, host and credential.
    { method: "ANY", path: `${base}/messages/batches`, handler: batches },
    { method: "ANY", path: `${base}/messages/batches/{proxy+}`, handler: batches },
    { method: "GET", path: `${base}/models`, handler: listModels(services) },
    { method: "GET", path: `${base}/models/{id}`, handler: getModel(services) },
  ];
}

/** Tells a caller whose base URL is wrong how to correct it: some clients add `/v1` to the base URL, and others expect it in there. */
function baseUrlAdvice({ vendorSegments: [segment] }: ProxySettings) {
  const adviceOn = (path: string) => {
    if (/^\/[^/]+\/v1\/v1(\/|$)/.test(path)) return "leave /v1 out of the base URL, the client adds it";
    if (path.startsWith("/v1/")) return `the base URL ends in /${segment}`;
    return /^\/[^/]+\/messages(\/|$)/.test(path) ? "the base URL of this client ends in /v1" : undefined;
  };
  return (path: string) => {
    const single = path.replaceAll(/\/{2,}/g, "/");
    return adviceOn(single) ?? (single === path ? undefined : "the base URL ends without a slash");
  };
}

async function batches(): Promise<never> {
  throw new Refusal("batches_unavailable", "The batch API is not available.");
}

/** The router throws at once for a path that it does not know. */
async function inTry<T>(act: () => Promise<T>): Promise<T> {
  return act();
}

/**
 * Sends the answer, settles the call and notes the use of its key. Lambda may freeze the function once it returns, so it returns
 * after all three.
 * @throws Error if the caller left before its answer was sent
 */
async function send(
  { lastUseWriter }: ProxyServices,
  call: ProxyCall,
  { body, ...head }: Answer,
  stream: awslambda.HttpResponseStream,
): Promise<void> {
  const response = awslambda.HttpResponseStream.from(stream, head);
  const sent = finished(response);
  // `sent` may reject long before it is awaited below; this keeps Node from reporting it as unhandled.
  sent.catch(() => {});
  if (typeof body === "string") {
    response.write(body);
    response.end();
  } else await body(new AnswerStream(response)).catch((error) => response.destroy(error));
  await call.inFlight?.settle({});
  if (call.keyId) await lastUseWriter.note(call.keyId);
  await sent;
}
