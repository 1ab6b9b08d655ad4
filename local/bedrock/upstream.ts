// The engine of `--upstream`: a real server of the Messages API answers instead of the built-in rules.
import { AwsError } from "../aws/service.ts";
import type { Engine, Invocation } from "./engine.ts";
import type { ReceivedCall } from "./journal.ts";
import type { MessageEvent } from "./message.ts";
import { type ModelReference, publicName } from "./models.ts";
import type { RequestBody } from "./request/body-schema.ts";
import { type ServerSentEvent, serverSentEvents } from "./sse.ts";
import { StreamFailure } from "./transmission.ts";
import { invocationMetrics, readUsage } from "./usage.ts";

export type UpstreamOptions = {
  /** The URL before `/v1/messages`, e.g. `https://api.example.com`. */
  url: string;
  /** Sent as `x-api-key`. */
  apiKey?: string;
  /** Sent with each request, e.g. `authorization`. */
  headers?: Record<string, string>;
  /** The server's name for a model, by the id as sent or by the foundation model's id. */
  models?: Record<string, string>;
};

type Json = Record<string, unknown>;

/** The fields of a body that a count takes. */
const countedFields = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "context_management"];

export class Upstream implements Engine {
  readonly #options: UpstreamOptions;
  readonly #closed = new AbortController();

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  async message({ call, body, reference }: Invocation) {
    const startedAt = performance.now();
    const response = await this.#post("/v1/messages", body, this.#request(body, reference, false));
    const firstByteLatency = Math.round(performance.now() - startedAt);
    const json = await this.#text(response);
    call.usage = readUsage(members(json).usage as Json | undefined);
    const invocationLatency = Math.round(performance.now() - startedAt);
    return { json, tokens: 0, latency: { invocationLatency, firstByteLatency } };
  }

  async events({ call, body, reference }: Invocation) {
    const startedAt = performance.now();
    const response = await this.#post("/v1/messages", body, this.#request(body, reference, true));
    if (!response.body) throw new AwsError("InternalServerException", "The upstream answered without a body", 500);
    return bedrockEvents(serverSentEvents(response.body), call, startedAt);
  }

  async countTokens({ body, reference }: Invocation) {
    const counted = Object.entries(body).filter(([field]) => countedFields.includes(field));
    const request = { model: this.#nameOf(reference), ...Object.fromEntries(counted) };
    const text = await this.#text(await this.#post("/v1/messages/count_tokens", body, request));
    const { input_tokens: tokens } = members(text);
    if (typeof tokens === "number") return tokens;
    throw new AwsError("InternalServerException", "The upstream's count holds no input_tokens", 500);
  }

  clear(): void {}

  /** Ends every request that is under way. */
  close(): void {
    this.#closed.abort();
  }

  #nameOf({ sent, base }: ModelReference): string {
    return this.#options.models?.[sent] ?? this.#options.models?.[base] ?? publicName(base);
  }

  #request(body: RequestBody, model: ModelReference, stream: boolean): Json {
    const { anthropic_version, anthropic_beta, ...rest } = body;
    return { model: this.#nameOf(model), ...rest, stream };
  }

  async #post(path: string, { anthropic_beta: betas = [] }: RequestBody, request: Json): Promise<Response> {
    const { url, apiKey, headers } = this.#options;
    const response = await this.#reached(
      fetch(url.replace(/\/+$/, "") + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
          ...(betas.length > 0 && { "anthropic-beta": betas.join(",") }),
          ...(apiKey && { "x-api-key": apiKey }),
          ...headers,
        },
        body: JSON.stringify(request),
        signal: this.#closed.signal,
      }),
    );
    if (response.ok) return response;
    throw refusal(response.status, await this.#text(response));
  }

  #text(response: Response): Promise<string> {
    return this.#reached(response.text());
  }

  /** @throws AwsError ServiceUnavailableException that says why the server cannot be reached. */
  async #reached<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const { cause = error } = error as { cause?: unknown };
      const { code, message } = cause as { code?: string; message?: string };
      const text = `The upstream ${this.#options.url} cannot be reached: ${code ?? message}`;
      throw new AwsError("ServiceUnavailableException", text, 503);
    }
  }
}

/** The events of the server as Bedrock sends them: without pings, their JSON unchanged, with the metrics in `message_stop`. */
async function* bedrockEvents(
  events: AsyncIterable<ServerSentEvent>,
  call: ReceivedCall,
  startedAt: number,
): AsyncGenerator<MessageEvent, void> {
  const elapsed = () => Math.round(performance.now() - startedAt);
  let firstByteLatency: number | undefined;
  for await (const { event, data } of events) {
    firstByteLatency ??= elapsed();
    const type = event || String(members(data).type);
    let json = data;
    if (type === "ping") continue;
    if (type === "error") throw streamFailure(data);
    if (type === "message_start") {
      call.usage = readUsage((members(data).message as Json | undefined)?.usage as Json | undefined);
    } else if (type === "message_delta") {
      call.usage = readUsage(members(data).usage as Json | undefined, call.usage);
    } else if (type === "message_stop") {
      const latency = { invocationLatency: elapsed(), firstByteLatency };
      const metrics = invocationMetrics(call.usage ?? readUsage(undefined), latency);
      json = JSON.stringify({ ...members(data), "amazon-bedrock-invocationMetrics": metrics });
    }
    yield { type, json, tokens: 0 };
  }
}

function streamFailure(data: string): StreamFailure {
  const exceptions: Record<string, string> = {
    overloaded_error: "serviceUnavailableException",
    rate_limit_error: "throttlingException",
    timeout_error: "modelTimeoutException",
    invalid_request_error: "validationException",
    api_error: "internalServerException",
  };
  const { type = "", message = data } = (members(data).error ?? {}) as { type?: string; message?: string };
  return new StreamFailure(exceptions[type] ?? "modelStreamErrorException", message);
}

function refusal(status: number, text: string): AwsError {
  const { message = text } = (members(text).error ?? {}) as { message?: string };
  if (status === 401 || status === 403) return new AwsError("AccessDeniedException", message, 403);
  if (status === 404) return new AwsError("ResourceNotFoundException", message, 404);
  if (status === 429) return new AwsError("ThrottlingException", message, 429);
  if (status < 500) return new AwsError("ValidationException", message, 400);
  if (status === 503 || status === 529) return new AwsError("ServiceUnavailableException", message, 503);
  return new AwsError("InternalServerException", message, 500);
}

/** The members of a JSON object; none if the text is something else. */
function members(text: string): Json {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}
