// CountTokens by the SDK's own client. It is half as large as all the rest of the proxy, so only a call that counts loads it.
// The count of the other endpoint comes with it: a chunk more would cut what a cold start reads into more pieces.
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  CountTokensCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { type CountingCall, ModelHostError } from "../../domain/messages/model-host.ts";
import { UnsentError } from "../aws.ts";
import { exceptionNamed, throwConnectionFailure } from "./failures.ts";
import { invokeBody } from "./invoke-body.ts";
import { type CountOptions, countMessages } from "./messages-count.ts";

/** The client would speak HTTP/2, whose session a frozen function does not keep alive. */
const requestHandler = new NodeHttpHandler({
  connectionTimeout: 3_000,
  httpsAgent: { keepAlive: true, maxSockets: 50 },
  httpAgent: { keepAlive: true, maxSockets: 50 },
});

/** @throws ModelHostError */
export async function countTokens(call: CountingCall, options: CountOptions): Promise<number> {
  if (call.endpoint === "messages") return countMessages(call, options);
  const { credentials, endpoint, signal } = options;
  const client = new BedrockRuntimeClient({
    region: call.region,
    credentials,
    ...(endpoint !== undefined && { endpoint }),
    requestHandler,
    // The client tries again: a count that comes late is of no use.
    maxAttempts: 1,
  });
  client.middlewareStack.add(
    (next) => (sent) => {
      // The body is the SDK's, so its type is not the client's.
      const { "content-type": _type, ...headers } = call.headers;
      Object.assign((sent.request as { headers: Record<string, string> }).headers, headers);
      return next(sent);
    },
    { step: "build" },
  );
  const input = { invokeModel: { body: invokeBody(call) } };
  const command = new CountTokensCommand({ modelId: call.modelId, input });
  const { inputTokens } = await client.send(command, { abortSignal: signal }).catch(failed);
  if (typeof inputTokens === "number") return inputTokens;
  throw new ModelHostError("broken", "The model host answered without a count");
}

/** Codes of a connection that was never made, and of one that broke (nodejs.org/api/errors.html, "Common system errors"). */
const unsent = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"];
const broken = ["ECONNRESET", "EPIPE"];

type Failure = Error & { code?: string; $metadata?: { httpStatusCode?: number } };

function failed(error: Failure): never {
  const { code = "", message, $metadata } = error;
  const status = $metadata?.httpStatusCode;
  if (error instanceof BedrockRuntimeServiceException) throw exceptionNamed(error.name, message, status);
  // Something in front of the model host answered, so the words are not the host's.
  if (status !== undefined && status !== 200) throw exceptionNamed("", "", status);
  // The message tells that nothing was sent, and not the code: the SDK wraps some errors in one of its own.
  if (unsent.some((name) => message.includes(name))) return throwConnectionFailure(new UnsentError(error));
  // The SDK gives these the name of a timeout.
  return throwConnectionFailure(broken.includes(code) ? new Error(message, { cause: error }) : error);
}
