// Amazon Bedrock as the model host, over plain signed HTTP: InvokeModel and InvokeModelWithResponseStream, or its own Messages endpoint. Counting is
// rare and has a chunk of its own for both of its endpoints, which is loaded when it is first asked for.
import type { AwsCredentialIdentity } from "@smithy/types";
import {
  longAnswerTokens,
  type ModelCall,
  type ModelHost,
  type SessionIdentity,
} from "../../domain/messages/model-host.ts";
import { requestMember } from "../../domain/metering/logged-usage.ts";
import { type AwsAnswer, type AwsCall, type SignedService, signedService } from "../aws.ts";
import { eventsOf } from "./event-stream.ts";
import { exceptionNamed, messageIn, throwConnectionFailure, withoutSession } from "./failures.ts";
import { invokeBody } from "./invoke-body.ts";
import { messagesError } from "./messages-error.ts";
import { nativeBody, nativeEventsOf, nativeHeaders, nativePath, requireMessage } from "./native-messages.ts";
import { observedMessage, wholeMessage } from "./whole-message.ts";

/** No shorter than the longest call: a whole answer may begin late, and the caller's signal ends the call in time. */
const timeoutMs = 900_000;

type BedrockOptions = {
  credentials: (identity: SessionIdentity) => Promise<AwsCredentialIdentity>;
  endpoint: string | undefined;
  /** Whether a model or profile is called by the Messages endpoint. */
  isNative?: (modelId: string) => boolean;
};

export function bedrock({ credentials, endpoint, isNative = () => false }: BedrockOptions): ModelHost {
  const services = new Map<string, SignedService>();

  function serviceIn(region: string): SignedService {
    const known = services.get(region);
    if (known) return known;
    const service = signedService({ service: "bedrock", hostPrefix: "bedrock-runtime", region, endpoint });
    services.set(region, service);
    return service;
  }

  function sessionOf({ identity }: ModelCall): Promise<AwsCredentialIdentity> {
    return credentials(identity).catch((error) => {
      throw withoutSession(error);
    });
  }

  /** Sends a request once and never again: once the model was called, a second call is billed a second time. */
  async function ask(call: ModelCall, request: Pick<AwsCall, "path" | "headers" | "body">, signal: AbortSignal) {
    const session = await sessionOf(call);
    return serviceIn(call.region)({ ...request, credentials: session, signal, timeoutMs }).catch(
      throwConnectionFailure,
    );
  }

  async function invokeModel(call: ModelCall, operation: string, signal: AbortSignal): Promise<AwsAnswer> {
    const path = `/model/${encodeURIComponent(call.modelId)}/${operation}`;
    const headers = { "content-type": "application/json", ...call.headers, ...metadataOf(call) };
    const answer = await ask(call, { path, headers, body: invokeBody(call) }, signal);
    if (answer.status === 200) return answer;
    throw await exceptionIn(answer);
  }

  async function message(call: ModelCall, { stream }: { stream: boolean }, signal: AbortSignal): Promise<AwsAnswer> {
    const request = { path: nativePath, headers: nativeHeaders(call), body: nativeBody(call, { stream }) };
    const answer = await ask(call, request, signal);
    if (answer.status === 200) return answer;
    throw messagesError(await answer.text().catch(() => ""), answer.status);
  }

  const stream = async (call: ModelCall, signal: AbortSignal) =>
    isNative(call.modelId)
      ? nativeEventsOf(await message(call, { stream: true }, signal))
      : eventsOf(await invokeModel(call, "invoke-with-response-stream", signal));

  const whole = async (call: ModelCall, signal: AbortSignal) => {
    if (!isNative(call.modelId))
      return (await invokeModel(call, "invoke", signal)).text().catch(throwConnectionFailure);
    const answer = await message(call, { stream: false }, signal);
    return requireMessage(await answer.text().catch(throwConnectionFailure));
  };

  return {
    stream,

    async invoke(call, signal, observe) {
      if (call.maxTokens > longAnswerTokens) return wholeMessage(await stream(call, signal), observe);
      return observedMessage(await whole(call, signal), observe);
    },

    async countTokens(call, signal) {
      const session = await sessionOf(call);
      const { countTokens } = await import("./count-tokens.ts");
      return countTokens(call, { credentials: session, endpoint, signal });
    },
  };
}

/** The header by whose value a line of the log of invocations names the request (docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-request-metadata.html). */
function metadataOf({ loggedAs }: ModelCall): Record<string, string> {
  if (loggedAs === undefined) return {};
  return { "x-amzn-bedrock-request-metadata": JSON.stringify({ [requestMember]: loggedAs }) };
}

async function exceptionIn(answer: AwsAnswer) {
  const name = String(answer.headers["x-amzn-errortype"] ?? "").split(":")[0] ?? "";
  return exceptionNamed(name, messageIn(await answer.text().catch(() => "")), answer.status);
}
