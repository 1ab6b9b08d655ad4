// The local Cognito: one user pool, as its sign-in host and as an AWS service.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../aws/service.ts";
import { clientOperations } from "./api/clients.ts";
import type { PoolOperation } from "./api/operation.ts";
import { profileOperations } from "./api/profile.ts";
import { userOperations } from "./api/users.ts";
import { problems } from "./declared.ts";
import type { PoolEnv } from "./hosted/context.ts";
import { createApp } from "./hosted/routes.ts";
import { Pool, type PoolOptions } from "./pool.ts";

const operations: Record<string, PoolOperation> = {
  ...clientOperations,
  ...profileOperations,
  ...userOperations,
};

export class Cognito implements AwsService {
  readonly signingName = "cognito-idp";
  readonly #pool: Pool;
  readonly #app: Hono<PoolEnv>;

  /** @throws Error that lists what is declared and not emulated, or what Cognito would refuse. */
  constructor(options: PoolOptions) {
    this.#pool = new Pool(options);
    this.#app = createApp(this.#pool);
  }

  /** The claim `iss`: the address of the public documents. */
  get issuer(): string {
    return this.#pool.issuer;
  }

  /** The `sub` of the account with this address, for the demo and for tests. */
  subOf(email: string): string | undefined {
    return this.#pool.users.find(email)?.sub;
  }

  /**
   * Answers for the sign-in host and for `cognito-idp.<region>.amazonaws.com`. Never rejects, never leaves open.
   * @param baseUrl where the client reached the host, with the prefix if there is one.
   */
  async handleHttp(request: IncomingMessage, response: ServerResponse, baseUrl: string): Promise<void> {
    // Hono gets a plain request: the adapter's own is complete only where it may replace the global classes.
    const listener = getRequestListener((given) => this.#app.fetch(new Request(given.url, given), { baseUrl }), {
      overrideGlobalObjects: false,
      // The app answers for its own errors. What comes here is an address of which no request can be made.
      errorHandler: () => new Response("The address is not valid.\n", { status: 400 }),
    });
    await listener(request, response);
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (Object.hasOwn(operations, name)) return name;
    throw new AwsError("UnknownOperationException", `The local Cognito does not emulate ${name}.`);
  }

  authorizations(operation: string, request: AwsRequest): Authorization[] {
    if (operations[operation]?.unauthenticated) return [];
    const { UserPoolId } = readBody(request);
    const resource = this.#pool.arn.replace(/[^/]+$/, String(UserPoolId ?? ""));
    return [{ action: `cognito-idp:${operation}`, resource }];
  }

  async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    const { input, run } = operations[operation] as PoolOperation;
    const parsed = input.safeParse(readBody(request));
    if (!parsed.success) throw new AwsError("InvalidParameterException", problems(parsed.error).join("; "));
    const { UserPoolId = this.#pool.id } = parsed.data as { UserPoolId?: string };
    if (UserPoolId !== this.#pool.id) {
      throw new AwsError("ResourceNotFoundException", `User pool ${UserPoolId} does not exist.`);
    }
    const output = await run(this.#pool, parsed.data);
    return forBrowsers(
      output === undefined
        ? { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body: "" }
        : jsonAnswer(output, "1.1"),
    );
  }

  failure(error: AwsError): AwsResponse {
    return forBrowsers(jsonFailure(error, "1.1"));
  }
}

/** Cognito's API may be called from any page: Amplify's library does nothing else (github.com/aws-amplify/amplify-js). */
function forBrowsers(answer: AwsResponse): AwsResponse {
  return { ...answer, headers: { ...answer.headers, "access-control-allow-origin": "*" } };
}

function readBody({ body }: AwsRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8") || "{}");
    if (value !== null && typeof value === "object") return value as Record<string, unknown>;
  } catch {}
  throw new AwsError("SerializationException", "The body is not a JSON object.");
}
