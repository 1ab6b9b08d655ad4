// Bedrock's own Messages endpoint, in front of the same models: `POST /anthropic/v1/messages`, with the model in the body, flags and version as
// headers, and server-sent events. What it refuses beyond InvokeModel was measured by others in September 2026 (an architecture record of 780
// cells from Seoul; recordings of Claude Code 2.1.274).
import { AwsError, type AwsRequest } from "../aws/service.ts";
import { parseExactly, parseJson } from "./json-body.ts";
import { messagesFailure } from "./messages-failure.ts";

const nativePath = "/anthropic/v1/messages";

type Json = Record<string, unknown>;

/** The call that a request of the endpoint makes. @throws AwsError for what the endpoint lacks, of which it says so at status 200 */
export function nativeRoute({ method, path, body }: Pick<AwsRequest, "method" | "path" | "body">) {
  if (method !== "POST" || path !== nativePath) {
    const Output = { __type: "com.amazon.coral.service#UnknownOperationException" };
    throw new AwsError("UnknownOperationException", `The endpoint has no ${method} ${path}`, 200, { Output });
  }
  const { model, stream } = fields(parseJson(body.toString()));
  const operation = stream === true ? "InvokeModelWithResponseStream" : "InvokeModel";
  return { operation, modelId: typeof model === "string" ? model : "", isNative: true } as const;
}

/** The body in InvokeModel's form. @throws AwsError ValidationException for what the endpoint does not take */
export function invokedText({ headers, body: bytes }: Pick<AwsRequest, "headers" | "body">): string {
  const { model: _model, stream: _stream, ...body } = fields(parseExactly(bytes.toString()));
  if (headers["anthropic-version"] === undefined) throw invalid("anthropic-version: header is required");
  const { user_id: user } = fields(body.metadata);
  if (typeof user === "string" && !/^[a-zA-Z0-9\s:_@$#=/+,\-.]{0,256}$/.test(user)) {
    throw invalid("Request metadata contains a value that violates the regular expression");
  }
  if (fields(body.output_config).format !== undefined) throw extra("output_config.format");
  const strict = Array.isArray(body.tools) ? body.tools.findIndex((tool) => fields(tool).strict !== undefined) : -1;
  if (strict >= 0) throw extra(`tools.${strict}.custom.strict`);
  const betas = String(headers["anthropic-beta"] ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "");
  const flags = betas.length > 0 && { anthropic_beta: betas };
  return JSON.stringify({ anthropic_version: "bedrock-2023-05-31", ...flags, ...body });
}

/** The event without what InvokeModel adds: no source shows metrics at this endpoint. */
export function nativeEvent(json: string): string {
  if (!json.includes('"amazon-bedrock-invocationMetrics"')) return json;
  const { "amazon-bedrock-invocationMetrics": _metrics, ...event } = JSON.parse(json) as Json;
  return JSON.stringify(event);
}

/** An event on the wire. @param json the text of an event, or any text for a fault */
export function eventBytes(json: string): Buffer {
  const [, type = "message"] = /^\{"type":"(\w+)"/.exec(json) ?? [];
  return Buffer.from(`event: ${type}\ndata: ${json}\n\n`);
}

/** A failure inside a stream. @param exception as event streams name it: `throttlingException` */
export function failureBytes(exception: string, message: string): Buffer {
  const error = new AwsError(exception.charAt(0).toUpperCase() + exception.slice(1), message);
  return Buffer.from(`event: error\ndata: ${messagesFailure(error).body}\n\n`);
}

function fields(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

const invalid = (message: string) => new AwsError("ValidationException", message);
const extra = (path: string) => invalid(`${path}: Extra inputs are not permitted`);
