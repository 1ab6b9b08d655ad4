// The local Cognito: one user pool, as its sign-in host and as an AWS service.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { JsonService } from "../aws/json-service.ts";
import type { AwsError, AwsRequest, AwsResponse } from "../aws/service.ts";
import { clientOperations } from "./api/clients.ts";
import type { PoolCall } from "./api/operation.ts";
import { profileOperations } from "./api/profile.ts";
import { userOperations } from "./api/users.ts";
import type { PoolEnv } from "./hosted/context.ts";
import { createApp } from "./hosted/routes.ts";
import { Pool, type PoolOptions } from "./pool.ts";

const operations = { ...clientOperations, ...profileOperations, ...userOperations };

export class Cognito extends JsonService<PoolCall> {
  readonly #pool: Pool;
  readonly #app: Hono<PoolEnv>;

  /** @throws Error that lists what is declared and not emulated, or what Cognito would refuse. */
  constructor(options: PoolOptions) {
    const pool = new Pool(options);
    super({
      signingName: "cognito-idp",
      title: "Cognito",
      operations,
      contextOf: (operation) => ({ operation, pool }),
    });
    this.#pool = pool;
    this.#app = createApp(pool);
  }

  /** The claim `iss`, which is the address of the public documents. */
  get issuer(): string {
    return this.#pool.issuer;
  }

  /** The `sub` of the account with this address, for the demo and for tests. */
  subOf(email: string): string | undefined {
    return this.#pool.users.find(email)?.sub;
  }

  /**
   * Answers for the sign-in host and for `cognito-idp.<region>.amazonaws.com`. Never rejects, never leaves open.
   * @param baseUrl the host's address for the client, with its prefix if there is one.
   */
  async handleHttp(request: IncomingMessage, response: ServerResponse, baseUrl: string): Promise<void> {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    // Hono gets a plain request: the adapter's own is complete only where it may replace the global classes.
    const listener = getRequestListener((given) => this.#app.fetch(new Request(given.url, given), { baseUrl, host }), {
      overrideGlobalObjects: false,
      // The app answers its own errors. Only an address of which no request can be made comes here.
      errorHandler: () => new Response("The address is not valid.\n", { status: 400 }),
    });
    await listener(request, response);
  }

  override async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    return forBrowsers(await super.handle(operation, request));
  }

  override failure(error: AwsError): AwsResponse {
    return forBrowsers(super.failure(error));
  }
}

/** Cognito's API may be called from any page: Amplify's library does nothing else (github.com/aws-amplify/amplify-js). */
function forBrowsers(answer: AwsResponse): AwsResponse {
  return { ...answer, headers: { ...answer.headers, "access-control-allow-origin": "*" } };
}
