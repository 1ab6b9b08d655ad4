// The engine of `--upstream`: a real server of the Messages API answers instead of the built-in rules. The vendor's SDK asks it.
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/streaming";
import { AwsError } from "../aws/service.ts";
import type { Engine, Invocation } from "./engine.ts";
import type { ReceivedCall } from "./journal.ts";
import { parseExactly } from "./json-body.ts";
import type { MessageEvent } from "./message.ts";
import { publicName } from "./models.ts";
import { latestVersion } from "./rules/version-rules.ts";
import { StreamFailure } from "./transmission.ts";
import { invocationMetrics, readUsage } from "./usage.ts";

export type UpstreamOptions = {
  /** The URL before `/v1/messages`, e.g. `https://api.example.com`. */
  url: string;
  /** Sent as `x-api-key`. */
  apiKey?: string;
};

type Json = Record<string, unknown>;
type Answered = { usage?: Json };
type StreamedEvent = { type: string; message?: Answered; usage?: Json; error?: { type?: string; message?: string } };

/** The fields of a body that a count takes. */
const countedFields = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "context_management"];

export class Upstream implements Engine {
  readonly #url: string;
  readonly #client: Anthropic;
  readonly #closed = new AbortController();

  constructor({ url, apiKey }: UpstreamOptions) {
    this.#url = url;
    this.#client = new Anthropic({
      baseURL: url.replace(/\/+$/, ""),
      defaultHeaders: { "x-api-key": apiKey ?? null, authorization: null },
      maxRetries: 0,
    });
  }

  async message(invocation: Invocation) {
    const startedAt = performance.now();
    const response = await this.#post("/v1/messages", invocation, (body) => ({ ...body, stream: false }));
    const json = await response.text();
    invocation.call.usage = readUsage((JSON.parse(json) as Answered).usage);
    const latency = Math.round(performance.now() - startedAt);
    return { json, tokens: 0, latency: { invocationLatency: latency, firstByteLatency: latency } };
  }

  async events(invocation: Invocation) {
    const startedAt = performance.now();
    const response = await this.#post("/v1/messages", invocation, (body) => ({ ...body, stream: true }));
    return bedrockEvents(response, invocation.call, startedAt);
  }

  async countTokens(invocation: Invocation) {
    const counted = (body: Json) =>
      Object.fromEntries(Object.entries(body).filter(([field]) => countedFields.includes(field)));
    const response = await this.#post("/v1/messages/count_tokens", invocation, counted);
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  }

  clear(): void {}

  /** Ends every request that is under way. */
  close(): void {
    this.#closed.abort();
  }

  /** Sends the body as its caller wrote it: its numbers too are what the caller wrote. */
  async #post(path: string, { body, text, reference }: Invocation, change: (body: Json) => Json): Promise<Response> {
    const { anthropic_version: version, anthropic_beta: _flags, ...members } = parseExactly(text) as Json;
    const request = change(members);
    try {
      return await this.#client
        .post(path, {
          body: { model: publicName(reference.base), ...request },
          headers: {
            "anthropic-version": version === latestVersion ? latestVersion : "2023-06-01",
            "anthropic-beta": body.anthropic_beta?.join(",") || null,
          },
          stream: request.stream === true,
          signal: this.#closed.signal,
        })
        .asResponse();
    } catch (error) {
      throw refusal(error, this.#url);
    }
  }
}

/** The events of the server as Bedrock sends them: without pings, with the metrics in `message_stop`. */
async function* bedrockEvents(
  response: Response,
  call: ReceivedCall,
  startedAt: number,
): AsyncGenerator<MessageEvent, void> {
  const elapsed = () => Math.round(performance.now() - startedAt);
  let firstByteLatency: number | undefined;
  for await (const { event: type, data } of Stream.rawEvents(response)) {
    if (type === null || type === "ping" || data === "") continue;
    const event = JSON.parse(data) as StreamedEvent;
    if (type === "error") {
      const { type: name = "", message = data } = event.error ?? {};
      throw new StreamFailure(exceptions[name] ?? "modelStreamErrorException", message);
    }
    firstByteLatency ??= elapsed();
    if (type === "message_start") call.usage = readUsage(event.message?.usage);
    if (type === "message_delta") call.usage = readUsage(event.usage, call.usage);
    const latency = { invocationLatency: elapsed(), firstByteLatency };
    const metrics = invocationMetrics(call.usage ?? readUsage(undefined), latency);
    const json =
      type === "message_stop" ? JSON.stringify({ ...event, "amazon-bedrock-invocationMetrics": metrics }) : data;
    yield { type, json, tokens: 0 };
  }
}

/** The exceptions of Bedrock's streams by the errors of the Messages API. */
const exceptions: Record<string, string> = {
  overloaded_error: "serviceUnavailableException",
  rate_limit_error: "throttlingException",
  timeout_error: "modelTimeoutException",
  invalid_request_error: "validationException",
  api_error: "internalServerException",
};

/** The refusal of the server as one of Bedrock. A server that cannot be reached is unavailable. */
function refusal(error: unknown, url: string): AwsError {
  const status = error instanceof APIError ? error.status : undefined;
  if (!(error instanceof APIError) || status === undefined) {
    const reason = rootOf(error as NetworkError);
    const message = `The upstream ${url} cannot be reached: ${reason.code ?? reason.message}`;
    return new AwsError("ServiceUnavailableException", message, 503);
  }
  const message = error.apiMessage ?? error.message;
  if (status === 401 || status === 403) return new AwsError("AccessDeniedException", message, 403);
  if (status === 404) return new AwsError("ResourceNotFoundException", message, 404);
  if (status === 429) return new AwsError("ThrottlingException", message, 429);
  if (status < 500) return new AwsError("ValidationException", message, 400);
  if (status === 503 || status === 529) return new AwsError("ServiceUnavailableException", message, 503);
  return new AwsError("InternalServerException", message, 500);
}

type NetworkError = Error & { code?: string; cause?: NetworkError };

/** The SDK and `fetch` each wrap the error of the socket. */
function rootOf(error: NetworkError): NetworkError {
  return error.cause ? rootOf(error.cause) : error;
}
