// Function URLs: the addresses that CloudFront calls as its origins.
import type { Readable } from "node:stream";
import type { DeclaredResource } from "../pulumi/resources.ts";
import { type HttpRequest, lambdaEvent } from "./event.ts";
import { FunctionError } from "./instance.ts";
import type { LocalFunction } from "./local-function.ts";

/** Lambda's limit of a request, measured on the event (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
const maxEventBytes = 6 * 1024 * 1024;

export type OriginAnswer = { status: number; headers: Record<string, string | string[]>; body: Readable | string };

export class FunctionUrl {
  readonly host: string;
  readonly #urlId: string;
  readonly #streams: boolean;
  readonly #target: LocalFunction;
  readonly #now: () => number;

  constructor(declared: DeclaredResource, functionByName: (name: string) => LocalFunction, now: () => number) {
    const { inputs, outputs } = declared;
    if (inputs.authorizationType !== "NONE") {
      throw new Error(`Function URL "${declared.name}": the local stack knows NONE.`);
    }
    this.#streams = inputs.invokeMode === "RESPONSE_STREAM";
    this.host = new URL(outputs.functionUrl).hostname;
    this.#urlId = outputs.urlId;
    this.#target = functionByName(inputs.functionName);
    this.#now = now;
  }

  async serve(request: HttpRequest): Promise<OriginAnswer> {
    const source = { apiId: this.#urlId, domainName: this.host, routeKey: "$default", stage: "$default" };
    const event = lambdaEvent({ ...request, headers: { ...request.headers, host: this.host } }, source, this.#now());
    if (Buffer.byteLength(JSON.stringify(event)) > maxEventBytes) {
      return json(413, {
        Message: `Request must be smaller than ${maxEventBytes} bytes for the InvokeFunction operation`,
      });
    }
    try {
      if (!this.#streams) return buffered((await this.#target.invoke(event)) as BufferedAnswer);
      const { prelude, body } = await this.#target.stream(event);
      return {
        status: prelude.statusCode ?? 200,
        headers: { ...prelude.headers, ...(prelude.cookies && { "set-cookie": prelude.cookies }) },
        body,
      };
    } catch (error) {
      const throttled = error instanceof FunctionError && error.errorType === "TooManyRequestsException";
      return throttled ? json(429, { Message: "Rate Exceeded." }) : json(502, { Message: "Internal Server Error" });
    }
  }
}

type BufferedAnswer = { statusCode?: number; headers?: Record<string, string>; cookies?: string[]; body?: string };

/** The whole answer of a function, as in payload format 2.0. */
function buffered({ statusCode = 200, headers = {}, cookies, body = "" }: BufferedAnswer): OriginAnswer {
  return { status: statusCode, headers: { ...headers, ...(cookies && { "set-cookie": cookies }) }, body };
}

function json(status: number, body: object): OriginAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
