// Amazon Bedrock as the model host: InvokeModel, InvokeModelWithResponseStream and CountTokens, over plain signed HTTP.
import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/core/event-streams";
import type { AwsCredentialIdentity, Message } from "@smithy/types";
import {
  type ModelCall,
  type ModelHost,
  ModelHostError,
  type ModelHostFailure,
  type SessionIdentity,
} from "../domain/messages/model-host.ts";
import { type AwsAnswer, type SignedService, signedService, UnsentError } from "./aws.ts";
import { redacted } from "./redaction.ts";

/** Until the answer begins; a whole answer takes as long as it takes, so the caller's signal ends it. */
const timeoutMilliseconds = 900_000;

/** By the exception's name: those inside a stream carry no status (aws-platform reference, section 7). */
const failures: Record<string, ModelHostFailure> = {
  ValidationException: "rejected",
  AccessDeniedException: "denied",
  AccessDenied: "denied",
  ResourceNotFoundException: "denied",
  UnrecognizedClientException: "denied",
  ExpiredTokenException: "denied",
  ThrottlingException: "throttled",
  ServiceQuotaExceededException: "throttled",
  ModelNotReadyException: "unavailable",
  ServiceUnavailableException: "unavailable",
  ModelTimeoutException: "timeout",
};

/** For an answer without a name that we know, as one in front of the model host may give it. */
const byStatus: Record<number, ModelHostFailure> = { 429: "throttled", 503: "unavailable" };

type BedrockOptions = {
  credentials: (identity: SessionIdentity) => Promise<AwsCredentialIdentity>;
  endpoint: string | undefined;
};

export function bedrock({ credentials, endpoint }: BedrockOptions): ModelHost {
  const services = new Map<string, SignedService>();

  function serviceIn(region: string): SignedService {
    const known = services.get(region);
    if (known) return known;
    const service = signedService({ service: "bedrock", hostPrefix: "bedrock-runtime", region, endpoint });
    services.set(region, service);
    return service;
  }

  /** Never sent twice: once the model was called, a second call is billed a second time. */
  async function ask(call: ModelCall, operation: string, body: string, signal: AbortSignal): Promise<AwsAnswer> {
    const session = await credentials(call.identity).catch((error) => {
      throw new ModelHostError(failures[error.name] ?? "unavailable", error.message, error);
    });
    const answer = await serviceIn(call.region)({
      path: `/model/${encodeURIComponent(call.modelId)}/${operation}`,
      headers: { "content-type": "application/json", ...call.headers },
      body,
      credentials: session,
      signal,
      timeoutMilliseconds,
    }).catch(cut);
    if (answer.status === 200) return answer;
    throw refused(answer, await answer.text().catch(() => ""));
  }

  async function askForJson(call: ModelCall, operation: string, body: string, signal: AbortSignal): Promise<string> {
    const answer = await ask(call, operation, body, signal);
    return answer.text().catch(cut);
  }

  return {
    async stream(call, signal) {
      return chunksOf(await ask(call, "invoke-with-response-stream", call.body, signal));
    },

    invoke(call, signal) {
      return askForJson(call, "invoke", call.body, signal);
    },

    async countTokens(call, signal) {
      const input = { invokeModel: { body: Buffer.from(call.body).toString("base64") } };
      // The body is ours, so its type is not the client's.
      const { "content-type": _type, ...headers } = call.headers;
      const answer = await askForJson({ ...call, headers }, "count-tokens", JSON.stringify({ input }), signal);
      const { inputTokens } = JSON.parse(answer) as { inputTokens?: unknown };
      if (typeof inputTokens === "number") return inputTokens;
      throw new ModelHostError("broken", "The model host answered without a count");
    },
  };
}

const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes as Uint8Array),
  (text) => Buffer.from(text),
);

/** The JSON of each event. @throws ModelHostError for an exception inside the stream, or a stream that breaks off */
async function* chunksOf(answer: AwsAnswer): AsyncGenerator<Uint8Array> {
  const readEvent = eventReader();
  let rest: Buffer = nothing;
  try {
    // Frames begin with their length, four bytes, and are cut anywhere by the connection.
    for await (const bytes of answer) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      while (rest.length >= 4) {
        const length = rest.readUInt32BE(0);
        if (rest.length < length) break;
        const json = readEvent(rest.subarray(0, length));
        if (json) yield json;
        rest = rest.subarray(length);
      }
    }
    if (rest.length > 0) throw new Error("The model host's stream broke off inside an event");
  } catch (error) {
    cut(error);
  }
}

const nothing = Buffer.alloc(0);
/** Prelude: total length, length of the headers, checksum of both. The checksum of all before it is at the end. */
const preludeBytes = 12;
const checksumBytes = 4;

/**
 * Reads the frames of one stream. The headers of its ordinary events are all the same: the codec reads them once, and a
 * frame that repeats them is only checked as a whole.
 */
function eventReader(): (frame: Buffer) => Uint8Array | undefined {
  let ordinary: Buffer | undefined;
  return (frame) => {
    const end = frame.length - checksumBytes;
    const bodyAt = frame.length > preludeBytes ? preludeBytes + frame.readUInt32BE(4) : 0;
    const headers = frame.subarray(preludeBytes, bodyAt);
    if (!ordinary?.equals(headers)) {
      const message = codec.decode(frame);
      if (message.headers[":message-type"]?.value !== "event") throw exceptionOf(message);
      ordinary = Buffer.from(headers);
    } else if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) {
      throw new Error("The checksum of an event does not match");
    }
    const { bytes } = JSON.parse(frame.toString("utf8", bodyAt, end)) as { bytes?: string };
    return bytes === undefined ? undefined : Buffer.from(bytes, "base64");
  };
}

function exceptionOf({ headers, body }: Message): ModelHostError {
  const name = String(headers[":exception-type"]?.value ?? headers[":error-code"]?.value ?? "");
  return named(name, messageOf(decoder.decode(body)), undefined);
}

function refused(answer: AwsAnswer, text: string): ModelHostError {
  const name = String(answer.headers["x-amzn-errortype"] ?? "").split(":")[0] ?? "";
  return named(name, messageOf(text), answer.status);
}

function named(name: string, message: string, status: number | undefined): ModelHostError {
  const failure = failures[name.charAt(0).toUpperCase() + name.slice(1)] ?? byStatus[status ?? 0] ?? "broken";
  // Words of the model itself may quote the prompt, and these would go to the log.
  const told = failure === "broken" ? "The model host failed" : redacted(message);
  return new ModelHostError(failure, told, new Error(`${name || "no name"} (status ${status ?? "in the stream"})`));
}

function messageOf(text: string): string {
  try {
    const { message, Message } = JSON.parse(text) as { message?: unknown; Message?: unknown };
    return String(message ?? Message ?? "");
  } catch {
    return "";
  }
}

/** What is not the model host's own word: the connection, or the signal that ends the call. */
function cut(error: unknown): never {
  if (error instanceof ModelHostError) throw error;
  const { name, message } = error as Error;
  if (error instanceof UnsentError) throw new ModelHostError("unavailable", message, error);
  const late = name === "TimeoutError" || name === "AbortError";
  // The message of a SyntaxError quotes what could not be parsed.
  const words = name === "SyntaxError" ? "The model host sent what is not JSON" : message;
  throw new ModelHostError(late ? "timeout" : "broken", words, error, true);
}
