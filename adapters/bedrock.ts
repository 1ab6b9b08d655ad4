// Amazon Bedrock as the model host: InvokeModel, InvokeModelWithResponseStream and CountTokens.
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type ResponseStream,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { AwsCredentialIdentity } from "@smithy/types";
import {
  type Identity,
  type ModelCall,
  type ModelHost,
  ModelHostError,
  type ModelHostFailure,
} from "../domain/model-host.ts";

const maxClients = 500;
const connectMilliseconds = 5_000;

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

type BedrockOptions = { credentials: (identity: Identity) => Promise<AwsCredentialIdentity> };

export function bedrock({ credentials }: BedrockOptions): ModelHost {
  // HTTP/1.1 with kept connections: an HTTP/2 session that was frozen with the function hangs when it wakes.
  const requestHandler = new NodeHttpHandler({ connectionTimeout: connectMilliseconds });
  const clients = new Map<string, BedrockRuntimeClient>();

  function clientFor({ identity, region }: ModelCall): BedrockRuntimeClient {
    const key = `${region}#${identity.tenantId}#${identity.callerId}`;
    const known = clients.get(key);
    if (known) return known;
    const client = new BedrockRuntimeClient({
      region,
      requestHandler,
      credentials: () => credentials(identity),
      // Once the model was called, a second call is billed a second time.
      maxAttempts: 1,
    });
    clients.set(key, client);
    const [oldest] = clients.keys();
    if (clients.size > maxClients && oldest !== undefined) clients.delete(oldest);
    return client;
  }

  return {
    async stream(call, signal) {
      const command = new InvokeModelWithResponseStreamCommand({ modelId: call.modelId, body: call.body });
      addHeaders(command, call.headers);
      const { body } = await clientFor(call).send(command, { abortSignal: signal }).catch(refuse);
      if (!body) throw new ModelHostError("broken", "The model host answered without a stream");
      return chunksOf(body);
    },

    async invoke(call, signal) {
      const command = new InvokeModelCommand({ modelId: call.modelId, body: call.body });
      addHeaders(command, call.headers);
      const { body } = await clientFor(call).send(command, { abortSignal: signal }).catch(refuse);
      return body;
    },

    async countTokens(call, signal) {
      const input = { invokeModel: { body: new TextEncoder().encode(call.body) } };
      const command = new CountTokensCommand({ modelId: call.modelId, input });
      const { inputTokens } = await clientFor(call).send(command, { abortSignal: signal }).catch(refuse);
      if (inputTokens === undefined) throw new ModelHostError("broken", "The model host answered without a count");
      return inputTokens;
    },
  };
}

/** Puts the client's headers on the request before it is signed. */
function addHeaders(command: { middlewareStack: unknown }, headers: Record<string, string>): void {
  type Build = (args: { request: { headers: Record<string, string> } }) => Promise<unknown>;
  const stack = command.middlewareStack as {
    add(middleware: (next: Build) => Build, options: { step: "build"; name: string }): void;
  };
  stack.add(
    (next) => (args) => {
      Object.assign(args.request.headers, headers);
      return next(args);
    },
    { step: "build", name: "clientHeaders" },
  );
}

async function* chunksOf(events: AsyncIterable<ResponseStream>): AsyncGenerator<Uint8Array> {
  try {
    for await (const { chunk } of events) if (chunk?.bytes) yield chunk.bytes;
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof ModelHostError) throw error;
  const { name, message } = error as Error;
  const known = failures[name.charAt(0).toUpperCase() + name.slice(1)];
  const status = error instanceof BedrockRuntimeServiceException ? error.$metadata.httpStatusCode : undefined;
  const failure = known ?? (status === undefined && isConnectionError(error) ? "unavailable" : "broken");
  throw new ModelHostError(failure, message, error);
}

function isConnectionError(error: unknown): boolean {
  const { code, name } = error as { code?: string; name?: string };
  return name === "TimeoutError" || ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "EAI_AGAIN"].includes(code ?? "");
}
