// Amazon Bedrock as the model host: InvokeModel and InvokeModelWithResponseStream over plain signed HTTP. Counting is rare
// and has a chunk of its own for both of its endpoints, which is loaded when it is first asked for.
import type { AwsCredentialIdentity } from "@smithy/types";
import {
  longAnswerTokens,
  type ModelCall,
  type ModelHost,
  type SessionIdentity,
} from "../../domain/messages/model-host.ts";
import { requestMember } from "../../domain/metering/logged-usage.ts";
import { type AwsAnswer, type SignedService, signedService } from "../aws.ts";
import { eventsOf } from "./event-stream.ts";
import { exceptionNamed, messageIn, throwConnectionFailure, withoutSession } from "./failures.ts";
import { invokeBody } from "./invoke-body.ts";
import { observedMessage, wholeMessage } from "./whole-message.ts";

/** No shorter than the longest call: a whole answer may begin late, and the caller's signal ends the call in time. */
const timeoutMs = 900_000;

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

  function sessionOf({ identity }: ModelCall): Promise<AwsCredentialIdentity> {
    return credentials(identity).catch((error) => {
      throw withoutSession(error);
    });
  }

  /** Sends a request once and never again: once the model was called, a second call is billed a second time. */
  async function ask(call: ModelCall, operation: string, signal: AbortSignal): Promise<AwsAnswer> {
    const session = await sessionOf(call);
    const answer = await serviceIn(call.region)({
      path: `/model/${encodeURIComponent(call.modelId)}/${operation}`,
      headers: { "content-type": "application/json", ...call.headers, ...metadataOf(call) },
      body: invokeBody(call),
      credentials: session,
      signal,
      timeoutMs,
    }).catch(throwConnectionFailure);
    if (answer.status === 200) return answer;
    throw await exceptionIn(answer);
  }

  const stream = async (call: ModelCall, signal: AbortSignal) =>
    eventsOf(await ask(call, "invoke-with-response-stream", signal));

  return {
    stream,

    async invoke(call, signal, observe) {
      if (call.maxTokens > longAnswerTokens) return wholeMessage(await stream(call, signal), observe);
      const answer = await ask(call, "invoke", signal);
      return observedMessage(await answer.text().catch(throwConnectionFailure), observe);
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
