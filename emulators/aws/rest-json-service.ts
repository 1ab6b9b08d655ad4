// An AWS service of the REST JSON protocol, as a table of operations: each has its method and path, the schema of its input, the
// rights it needs and its effect.
import type * as z from "zod";
import { parsedInput } from "./input.ts";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonBody,
} from "./service.ts";

export type RestOperation<Context> = {
  /** `POST /gateways/{gatewayIdentifier}/targets/`; the slash at the end counts. */
  route: string;
  /** The status of its answer. */
  status: number;
  rights(input: unknown, context: Context): Authorization[];
  run(input: unknown, context: Context): unknown;
};

const errorCode = "ValidationException";

/** @param input the schema of path, query and body together. */
export function restOperation<Context, Input extends z.ZodType>(
  route: string,
  status: number,
  input: Input,
  rights: (input: z.output<Input>, context: Context) => Authorization[],
  run: (input: z.output<Input>, context: Context) => unknown,
): RestOperation<Context> {
  return {
    route,
    status,
    rights: (given, context) => rights(parsedInput(input, given, errorCode), context),
    run: (given, context) => run(parsedInput(input, given, errorCode), context),
  };
}

type RestServiceOptions<Context> = {
  signingName: string;
  /** The service's name in messages, e.g. `AgentCore`. */
  title: string;
  operations: Readonly<Record<string, RestOperation<Context>>>;
  contextOf: (operation: string, request: AwsRequest) => Context;
};

type Route = { name: string; method: string; pattern: RegExp };

export class RestJsonService<Context> implements AwsService {
  readonly signingName: string;
  readonly #options: RestServiceOptions<Context>;
  readonly #routes: Route[];

  constructor(options: RestServiceOptions<Context>) {
    this.signingName = options.signingName;
    this.#options = options;
    this.#routes = Object.entries(options.operations).map(([name, { route }]) => {
      const [method = "", path = ""] = route.split(" ");
      return { name, method, pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`) };
    });
  }

  operation(request: AwsRequest): string {
    return this.#found(request).name;
  }

  authorizations(name: string, request: AwsRequest): Authorization[] {
    return this.#operation(name).rights(this.#inputOf(request), this.#options.contextOf(name, request));
  }

  async handle(name: string, request: AwsRequest): Promise<AwsResponse> {
    const { run, status } = this.#operation(name);
    const members = await run(this.#inputOf(request), this.#options.contextOf(name, request));
    const body = members === undefined ? "" : JSON.stringify(members);
    return { status, headers: { "content-type": "application/json" }, body };
  }

  failure({ code, message, status, members }: AwsError): AwsResponse {
    const headers = { "content-type": "application/json", "x-amzn-errortype": code };
    return { status, headers, body: JSON.stringify({ message, ...members }) };
  }

  #operation(name: string): RestOperation<Context> {
    const operation = this.#options.operations[name];
    if (!operation) throw new Error(`${name} was not asked of operation() first`);
    return operation;
  }

  #found({ method, path }: Pick<AwsRequest, "method" | "path">): Route {
    const found = this.#routes.find((route) => route.method === method && route.pattern.test(path));
    if (found) return found;
    const message = `The local ${this.#options.title} does not emulate ${method} ${path}`;
    throw new AwsError("UnknownOperationException", message, 404);
  }

  /** The members of path, query and body together. A name that the query has several times is a list. */
  #inputOf(request: AwsRequest): Record<string, unknown> {
    const { query, path } = request;
    const labels = Object.entries(this.#found(request).pattern.exec(path)?.groups ?? {});
    const parameters = [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values] as const;
    });
    return {
      ...(request.body.length > 0 && jsonBody(request)),
      ...Object.fromEntries(parameters),
      ...Object.fromEntries(labels.map(([name, value]) => [name, decoded(value)])),
    };
  }
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    throw new AwsError(errorCode, `${label}: is not percent-encoded`);
  }
}
