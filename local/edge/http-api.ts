// API Gateway HTTP APIs: routes to functions, with payload format 2.0 and the limits of the real service.
import type { ServerResponse } from "node:http";
import { type HttpRequest, lambdaEvent } from "../../emulators/lambda/event.ts";
import type { FunctionError } from "../../emulators/lambda/instance.ts";
import type { LocalFunction } from "../../emulators/lambda/local-function.ts";
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import { integration, route, stage } from "../../emulators/pulumi/services/api-gateway.ts";
import { reachable } from "./reachable.ts";
import { StageThrottle } from "./stage-throttle.ts";

/** This limit and the next one are AWS's (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html). */
const integrationTimeoutMs = 30_000;
const maxBodyBytes = 10 * 1024 * 1024;
/** Route keys without variables in their path and without the method ANY. */
const knownKey = /^(\$default|(GET|POST|PUT|PATCH|DELETE) \/[\w./-]*)$/;

/** The paths whose answers show addresses: the document that a client reads first, and the noun that says where MCP clients connect. */
const showsAddresses = /^\/(\.well-known\/archway\.json|v1\/mcp-gateway(\/.*)?)$/;

type FunctionResult = {
  statusCode?: number;
  headers?: Record<string, string>;
  cookies?: string[];
  body?: string;
  isBase64Encoded?: boolean;
};

export class HttpApi {
  readonly host: string;
  readonly maxBodyBytes = maxBodyBytes;
  readonly #apiId: string;
  readonly #stage: string;
  /** The functions by route key. */
  readonly #targets: ReadonlyMap<string, LocalFunction>;
  readonly #throttle: StageThrottle;
  readonly #now: () => number;
  readonly #connector: () => string;

  /** @param mapping the `ApiMapping` that puts an API on a host. */
  constructor(
    mapping: DeclaredResource,
    resources: Resources,
    functionByArn: (arn: string) => LocalFunction,
    now: () => number,
    connector: () => string,
  ) {
    this.#now = now;
    this.#connector = connector;
    this.#apiId = mapping.inputs.apiId;
    this.#stage = mapping.inputs.stage;
    const declaredStage = resources
      .ofType(stage.type)
      .find(({ inputs }) => inputs.apiId === this.#apiId && inputs.name === this.#stage);
    this.#throttle = new StageThrottle(declaredStage?.inputs.defaultRouteSettings);
    this.host = mapping.inputs.domainName;
    const routes = resources.ofType(route.type).filter(({ inputs }) => inputs.apiId === this.#apiId);
    this.#targets = new Map(
      routes.map(({ inputs: { routeKey, target } }) => {
        if (!knownKey.test(routeKey)) {
          throw new Error(`HTTP API ${this.#apiId}: the local stack knows $default and whole paths, not ${routeKey}.`);
        }
        const declared = resources
          .ofType(integration.type)
          .find(({ outputs }) => target === `integrations/${outputs.id}`);
        if (declared?.inputs.payloadFormatVersion !== "2.0") {
          throw new Error(`HTTP API ${this.#apiId}: ${routeKey} needs an integration with payload format 2.0.`);
        }
        return [routeKey, functionByArn(declared.inputs.integrationUri)];
      }),
    );
    if (!this.#targets.has("$default")) throw new Error(`HTTP API ${this.#apiId}: it needs one route, $default.`);
  }

  matches(host: string): boolean {
    return host === this.host;
  }

  /** @param edge the address of the port, `http://127.0.0.1:<port>`. */
  async serve(request: HttpRequest, response: ServerResponse, edge: string): Promise<void> {
    // The stage counts real seconds, as its callers do: the stack's clock may stand still.
    if (!this.#throttle.takes(performance.now())) return answer(response, gatewayError(429, "Too Many Requests"));
    const [path = ""] = request.url.split("?");
    const own = `${request.method} ${path}`;
    const routeKey = this.#targets.has(own) ? own : "$default";
    const source = { apiId: this.#apiId, domainName: this.host, routeKey, stage: this.#stage };
    const event = lambdaEvent(request, source, this.#now());
    const target = this.#targets.get(routeKey) as LocalFunction;
    const result = await Promise.race([target.invoke(event).catch(asGatewayError), timeout()]);
    const found = result as FunctionResult;
    const domain = this.host.slice(this.host.indexOf(".") + 1);
    const here = (text: string) => reachable(text, domain, edge, this.#connector());
    answer(response, showsAddresses.test(path) && found.body ? { ...found, body: here(found.body) } : found);
  }
}

function timeout(): Promise<FunctionResult> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(gatewayError(503, "Service Unavailable")), integrationTimeoutMs).unref();
  });
}

function asGatewayError(error: FunctionError): FunctionResult {
  return error.errorType === "TooManyRequestsException"
    ? gatewayError(503, "Service Unavailable")
    : gatewayError(500, "Internal Server Error");
}

function gatewayError(statusCode: number, message: string): FunctionResult {
  return { statusCode, headers: { "content-type": "application/json" }, body: JSON.stringify({ message }) };
}

/** API Gateway and function URLs keep `WWW-Authenticate` for themselves (github.com/anthropics/claude-ai-mcp/issues/748, measured on AWS). */
function renamed(name: string): string {
  return name.toLowerCase() === "www-authenticate" ? `x-amzn-remapped-${name.toLowerCase()}` : name;
}

/** A result without a status is taken as the body of a 200, as API Gateway does. */
function answer(response: ServerResponse, result: FunctionResult): void {
  const whole = typeof result === "object" && result !== null && typeof result.statusCode === "number";
  const { statusCode, headers, cookies, body, isBase64Encoded }: FunctionResult = whole
    ? result
    : { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(result) };
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  response.writeHead(statusCode ?? 200, {
    ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [renamed(name), value])),
    ...(cookies && { "set-cookie": cookies }),
    "content-length": bytes.length,
  });
  response.end(bytes);
}
