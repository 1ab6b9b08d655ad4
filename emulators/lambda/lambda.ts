// Lambda as an AWS service of the REST JSON protocol: invokes functions by name or ARN, and answers with their whole result.
import { type Authorization, AwsError, type AwsRequest, type AwsResponse, type AwsService } from "../aws/service.ts";
import type { Functions } from "./functions.ts";
import { FunctionError } from "./instance.ts";
import type { LocalFunction } from "./local-function.ts";

/** The largest payload of a request and of an answer (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
const payloadBytes = 6 * 1024 * 1024;
const path = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** The errors of a function that did not run at all. Every other error is the function's own failure. */
const statuses: Record<string, number> = { TooManyRequestsException: 429, ServiceException: 500 };

export class Lambda implements AwsService {
  readonly signingName = "lambda";
  readonly #functions: Functions;

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  operation(request: AwsRequest): string {
    if (request.method === "POST" && path.test(request.path)) return "Invoke";
    throw new AwsError("UnknownOperationException", `The local Lambda does not know ${request.method} ${request.path}`);
  }

  authorizations(_operation: string, request: AwsRequest): Authorization[] {
    return [{ action: "lambda:InvokeFunction", resource: this.#named(request).settings.arn }];
  }

  /** The answer of a failed function has status 200, the header `X-Amz-Function-Error`, and the error as its payload. */
  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const fn = this.#named(request);
    const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
    if (type !== "RequestResponse") throw invalid(`The local Lambda does not emulate the invocation type ${type}.`);
    const event = payloadOf(request);
    try {
      const payload = JSON.stringify((await fn.invoke(event)) ?? null);
      return Buffer.byteLength(payload) > payloadBytes ? failed(tooLarge(payload)) : answer(payload);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      const status = statuses[error.errorType];
      if (status !== undefined) throw new AwsError(error.errorType, error.message, status);
      return failed(error);
    }
  }

  failure({ code, message, status }: AwsError): AwsResponse {
    const body = JSON.stringify({ Type: status < 500 ? "User" : "Service", Message: message });
    return { status, headers: { "content-type": "application/json", "x-amzn-errortype": code }, body };
  }

  #named(request: AwsRequest): LocalFunction {
    const name = decodeURIComponent(path.exec(request.path)?.[1] ?? "");
    const fn = this.#functions.all.find(({ settings }) => settings.name === name || settings.arn === name);
    if (fn) return fn;
    throw new AwsError("ResourceNotFoundException", `Function not found: ${name}`, 404);
  }
}

function payloadOf({ body }: AwsRequest): unknown {
  if (body.length > payloadBytes) {
    const message = `Request must be smaller than ${payloadBytes} bytes for the InvokeFunction operation`;
    throw new AwsError("RequestTooLargeException", message, 413);
  }
  try {
    return JSON.parse(body.toString("utf8") || "{}");
  } catch (error) {
    const message = `Could not parse request body into json: ${(error as Error).message}`;
    throw new AwsError("InvalidRequestContentException", message, 400);
  }
}

function tooLarge(payload: string): FunctionError {
  const message = `Response payload size (${payload.length} bytes) exceeded maximum allowed payload size (${payloadBytes} bytes).`;
  return new FunctionError("Function.ResponseSizeTooLarge", message);
}

function failed({ errorType, message: errorMessage }: FunctionError): AwsResponse {
  return answer(JSON.stringify({ errorType, errorMessage }), { "x-amz-function-error": "Unhandled" });
}

function answer(body: string, headers: Record<string, string> = {}): AwsResponse {
  const executed = { "content-type": "application/json", "x-amz-executed-version": "$LATEST" };
  return { status: 200, headers: { ...executed, ...headers }, body };
}

function invalid(message: string): AwsError {
  return new AwsError("InvalidParameterValueException", message, 400);
}
