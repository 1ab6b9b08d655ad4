// The control plane's handler: finds the route, authenticates and authorizes the caller, reads the request, runs the operation once
// and answers. The middleware `refuse` turns errors into answers.

import { createHash } from "node:crypto";
import middy from "@middy/core";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { requireRecentSignIn } from "../../domain/access/access-rule.ts";
import { discoveryPath } from "../../domain/access/discovery.ts";
import { currentTokens } from "../../domain/access/sign-out.ts";
import { record } from "../../domain/kernel/json.ts";
import { payOutside } from "../../domain/kernel/question-allowance.ts";
import type { TenantStatus } from "../../domain/workspace/tenant.ts";
import { answerHeaders } from "../middleware/answer-headers.ts";
import { authentication } from "../middleware/authenticate.ts";
import { authorization } from "../middleware/authorize.ts";
import { challenge } from "../middleware/challenge.ts";
import { cors } from "../middleware/cors.ts";
import { csvOf } from "../middleware/csv.ts";
import { withHead, withoutBody } from "../middleware/head.ts";
import { notFound } from "../middleware/not-found.ts";
import { type ObservedEvent, observe } from "../middleware/observe.ts";
import { refuse } from "../middleware/refuse.ts";
import type { ControlDependencies } from "./dependencies.ts";
import { nouns, routes } from "./nouns.ts";
import { withMarkedCursor } from "./routing/cursor.ts";
import { type Endpoint, implement } from "./routing/implement.ts";
import { operateOnce } from "./routing/once.ts";
import { openApiDocument } from "./routing/openapi.ts";
import { type Format, readParameters, readRequest } from "./routing/request.ts";
import { successStatus } from "./routing/route.ts";
import { requireWriters } from "./routing/writer-check.ts";

type Result = APIGatewayProxyStructuredResultV2;

export function controlHandler(deps: ControlDependencies) {
  const endpoints = implement(nouns, deps);
  let document: string | undefined;
  const openApi = () => {
    document ??= JSON.stringify(openApiDocument(routes));
    return document;
  };
  return serve(endpoints, deps, [
    { path: "/v1/openapi.json", text: openApi },
    { path: discoveryPath, text: () => JSON.stringify(deps.settings.discovery) },
  ]);
}

/** A JSON document that everybody may read. */
type PublicDocument = { path: string; text: () => string };

/** The dependencies of serving routes, whichever they are. */
type ServingDependencies = Pick<
  ControlDependencies,
  "tokens" | "signOuts" | "users" | "tenants" | "idempotency" | "questionAllowances" | "clock" | "log" | "settings"
>;

export function serve(endpoints: Endpoint[], deps: ServingDependencies, documents: PublicDocument[] = []) {
  const { clock, log, settings } = deps;
  const { scopePrefix, discovery } = settings;
  const authenticate = authentication({ tokens: currentTokens(deps), scopePrefix, clients: discovery.clients });
  const authorize = authorization(deps);

  const served = withHead([
    ...endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: routedPath(endpoint),
      handler: (event: ObservedEvent, context: Context) => respond(endpoint, event, context),
    })),
    ...documents.map(({ path, text }) => ({
      method: "GET" as const,
      path,
      handler: async (event: ObservedEvent, context: Context) => {
        event.route = `GET ${path}`;
        return published(text(), context.awsRequestId);
      },
    })),
  ]);
  const router = httpRouter<APIGatewayProxyEventV2, Result>({
    routes: served,
    notFoundResponse: notFound(served),
  });
  return middy<ObservedEvent, Result>()
    .use(observe(log, clock))
    .use(cors(settings.consoleOrigins))
    .use(withoutBody())
    .use(refuse({ log, headersOf: challenge(`${settings.scopePrefix}/control:manage`) }))
    .handler(router);

  async function respond(endpoint: Endpoint, event: ObservedEvent, context: Context): Promise<Result> {
    event.route = `${endpoint.method} ${endpoint.path}`;
    // From here on the log line of a refused request names the caller.
    const signedIn = await authenticate(event, endpoint.openers);
    event.caller = signedIn;
    const parameters = readParameters(event);
    const caller = await authorize(endpoint.access, signedIn, parameters, openIn(endpoint));
    if (endpoint.recentSignIn) requireRecentSignIn(signedIn.signedInAt, clock());
    event.caller = caller;
    const { idempotencyKey, format, given, ifNoneMatch, ...parts } = readRequest(event, endpoint);
    if (endpoint.body) requireWriters(endpoint.body, given, caller);
    const request = { caller, parameters, ...parts };
    if (endpoint.asksOutside) await payOutside(deps.questionAllowances, signedIn.sub);
    const answer = withMarkedCursor(endpoint, await operateOnce(endpoint, request, idempotencyKey, deps));
    const etag = etagOf(endpoint, answer);
    if (etag !== undefined && isKnown(endpoint, etag, ifNoneMatch)) return notModified(etag, context.awsRequestId);
    return success(endpoint, format, answer, context.awsRequestId);
  }
}

/** The last parameter of a route may be a path of its own, which the router knows by this name alone. */
function routedPath({ path }: Endpoint): string {
  return path.replace(/\{path\}$/, "{proxy+}");
}

function openIn({ method, openIn }: Endpoint): TenantStatus {
  return openIn ?? (method === "GET" ? "suspended" : "active");
}

function success(endpoint: Endpoint, format: Format, answer: unknown, requestId: string): Result {
  const { response, csv, location } = endpoint;
  const etag = etagOf(endpoint, answer);
  const status = successStatus(endpoint);
  const headers = {
    "request-id": requestId,
    ...answerHeaders,
    ...(location && { location: addressOf(location, answer) }),
    ...(etag !== undefined && { etag: `"${etag}"` }),
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

/** The ETag without its quotes; undefined for an answer that has no version. */
function etagOf({ response, versionedBy }: Endpoint, answer: unknown): string | undefined {
  if (!response || !versionedBy) return undefined;
  if (versionedBy !== "content") return String(record(answer)[versionedBy] ?? 0);
  return createHash("sha256").update(JSON.stringify(answer)).digest("base64url").slice(0, 22);
}

/** Whether the caller has this answer. A version counts changes by people only, and the answer may differ in what functions write or time decides. */
function isKnown({ versionedBy }: Endpoint, etag: string, tags: readonly string[] | "*" | undefined): boolean {
  return versionedBy === "content" && (tags === "*" || tags?.includes(etag) === true);
}

function notModified(etag: string, requestId: string): Result {
  return { statusCode: 304, headers: { "request-id": requestId, ...answerHeaders, etag: `"${etag}"` } };
}

/** @param template a path with fields of the answer in braces, or `{url}` for an answer that holds the whole address */
function addressOf(template: string, answer: unknown): string {
  const fields = record(answer);
  if (template === "{url}") return String(fields.url);
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(fields[name])));
}

/** The answer with a document. It changes only with a deployment, so clients may cache it. */
function published(body: string, requestId: string): Result {
  const headers = {
    "request-id": requestId,
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
  };
  return { statusCode: 200, headers, body };
}
