// The journal of received calls and their outcomes, with which tests compare usage and bills.
import type { IncomingHttpHeaders } from "node:http";
import type { AwsRequest } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import { parseJson } from "./json-body.ts";
import type { ModelRequest } from "./operations.ts";
import type { Usage } from "./usage.ts";

/** A call that was received. The record changes until its outcome is no longer `running`. */
export type ReceivedCall = ModelRequest & {
  /** ISO 8601, by the stack's clock. */
  time: string;
  region: string;
  /** Without credentials. */
  headers: IncomingHttpHeaders;
  /** The parsed body, or its text if it is not JSON. */
  body: unknown;
  roleArn?: string;
  sessionTags: Record<string, string>;
  /**
   * The usage that a bill shows. It does not shrink if the caller leaves. A refusal and CountTokens cost nothing and have no usage.
   */
  usage?: Usage;
  /** `aborted`: the caller left, or the host was closed. `failed`: refused, broken off or ended too early. */
  outcome: "running" | "complete" | "aborted" | "failed";
  /** The name of the refusal or fault. */
  error?: string;
  /** The JSON of each chunk exactly as sent. A whole answer has one chunk, its body. */
  chunks: string[];
};

/** The oldest calls are dropped when there are more, or when all bodies together are larger. */
const rememberedCalls = 1000;
const rememberedBytes = 64_000_000;

const credentials = new Set(["authorization", "x-amz-security-token", "x-api-key", "cookie"]);

export class Journal {
  readonly #clock: Clock;
  readonly #calls: { call: ReceivedCall; bytes: number }[] = [];
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens the record of a call. */
  open(request: AwsRequest, route: ModelRequest): ReceivedCall {
    const call: ReceivedCall = {
      ...route,
      time: new Date(this.#clock.now()).toISOString(),
      region: request.region,
      headers: withoutCredentials(request.headers),
      body: parseJson(request.body.toString()),
      ...(request.principal && { roleArn: request.principal.roleArn }),
      sessionTags: request.principal?.sessionTags ?? {},
      outcome: "running",
      chunks: [],
    };
    this.#calls.push({ call, bytes: request.body.length });
    this.#bytes += request.body.length;
    while (this.#calls.length > rememberedCalls || (this.#bytes > rememberedBytes && this.#calls.length > 1)) {
      this.#bytes -= this.#calls.shift()?.bytes ?? 0;
    }
    return call;
  }

  /** The calls, newest last. */
  calls(): ReceivedCall[] {
    return this.#calls.map(({ call }) => call);
  }

  clear(): void {
    this.#calls.length = 0;
    this.#bytes = 0;
  }
}

function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name)));
}
