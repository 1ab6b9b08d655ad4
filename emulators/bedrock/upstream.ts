// The engine of `--upstream`: a real server of the Messages API answers instead of the built-in rules. The vendor's SDK asks it.
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/streaming";
import { AwsError } from "../aws/service.ts";
import type { Engine, Invocation } from "./engine.ts";
import type { ReceivedCall } from "./journal.ts";
import type { MessageEvent } from "./message.ts";
import { publicName } from "./models.ts";
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
type StreamedEvent = { type: string; message?: Answered; usage?: Json };

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
      defaultHeaders: { "anthropic-version": "2023-06-01", "x-api-key": apiKey ?? null, authorization: null },
      maxRetries: 0,
    });
  }

  async message(invocation: Invocation) {
    const startedAt = performance.now();
    const message = await this.#post<Answered>("/v1/messages", invocation, { ...invocation.body, stream: false });
    invocation.call.usage = readUsage(message.usage);
    // The SDK gives a message once it is whole.
    const latency = Math.round(performance.now() - startedAt);
    const json = JSON.stringify(message);
    return { json, tokens: 0, latency: { invocationLatency: latency, firstByteLatency: latency } };
  }

  async events(invocation: Invocation) {
    const startedAt = performance.now();
    const body = { ...invocation.body, stream: true };
    const events = await this.#post<Stream<StreamedEvent>>("/v1/messages", invocation, body);
    return bedrockEvents(events, invocation.call, startedAt);
  }

  async countTokens(invocation: Invocation) {
    const counted = Object.entries(invocation.body).filter(([field]) => countedFields.includes(field));
    const path = "/v1/messages/count_tokens";
    const { input_tokens } = await this.#post<{ input_tokens: number }>(path, invocation, Object.fromEntries(counted));
    return input_tokens;
  }

  clear(): void {}

  /** Ends every request that is under way. */
  close(): void {
    this.#closed.abort();
  }

  async #post<Answer>(path: string, { body, reference }: Invocation, request: Json): Promise<Answer> {
    const { anthropic_version: _version, anthropic_beta: _flags, ...members } = request;
    try {
      return await this.#client.post<Answer>(path, {
        body: { model: publicName(reference.base), ...members },
        headers: { "anthropic-beta": body.anthropic_beta?.join(",") || null },
        stream: request.stream === true,
        signal: this.#closed.signal,
      });
    } catch (error) {
      throw refusal(error, this.#url);
    }
  }
}

/** The events of the server as Bedrock sends them: without pings, with the metrics in `message_stop`. */
async function* bedrockEvents(
  events: Stream<StreamedEvent>,
  call: ReceivedCall,
  startedAt: number,
): AsyncGenerator<MessageEvent, void> {
  const elapsed = () => Math.round(performance.now() - startedAt);
  let firstByteLatency: number | undefined;
  try {
    for await (const event of events) {
      firstByteLatency ??= elapsed();
      if (event.type === "message_start") call.usage = readUsage(event.message?.usage);
      if (event.type === "message_delta") call.usage = readUsage(event.usage, call.usage);
      const latency = { invocationLatency: elapsed(), firstByteLatency };
      const metrics = invocationMetrics(call.usage ?? readUsage(undefined), latency);
      const last = event.type === "message_stop" && { "amazon-bedrock-invocationMetrics": metrics };
      yield { type: event.type, json: JSON.stringify({ ...event, ...last }), tokens: 0 };
    }
  } catch (error) {
    if (!(error instanceof APIError) || error.type === null) throw error;
    throw new StreamFailure(exceptions[error.type] ?? "modelStreamErrorException", error.apiMessage ?? error.message);
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
