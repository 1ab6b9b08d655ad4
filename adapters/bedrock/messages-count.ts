// count_tokens of the Messages API on bedrock-mantle, for models that CountTokens refuses: plain signed HTTP, since the SDK has
// no client for it.
//
// Address, actions and body: docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html ("Count tokens using the
// bedrock-mantle endpoint"); the signature's service: platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock.
import type { AwsCredentialIdentity } from "@smithy/types";
import { record } from "../../domain/kernel/json.ts";
import { parseExactly } from "../../domain/messages/exact-json.ts";
import { type ModelCall, ModelHostError } from "../../domain/messages/model-host.ts";
import { type AwsAnswer, type SignedService, signedService } from "../aws.ts";
import { throwConnectionFailure } from "./failures.ts";
import { messagesError } from "./messages-error.ts";

export type CountOptions = {
  credentials: AwsCredentialIdentity;
  endpoint: string | undefined;
  signal: AbortSignal;
};

const path = "/anthropic/v1/messages/count_tokens";
/** The version for clients that send none: the endpoint requires the header. */
const defaultVersion = "2023-06-01";
const timeoutMs = 60_000;

/** The fields that the Messages API counts, by the types of its SDK. It refuses all others, `max_tokens` included. */
const countedFields = "messages system tools tool_choice thinking cache_control output_config context_management".split(
  " ",
);

const services = new Map<string, SignedService>();

/** @throws ModelHostError */
export async function countMessages(call: ModelCall, { credentials, endpoint, signal }: CountOptions): Promise<number> {
  try {
    const { betas } = call;
    const { "anthropic-beta": _beta, ...headers } = call.headers;
    const answer = await serviceIn(
      call.region,
      endpoint,
    )({
      path,
      headers: {
        "anthropic-version": defaultVersion,
        ...headers,
        "content-type": "application/json",
        // This endpoint reads the header: in place of the client's own list it has the flags that the model is to know.
        ...(betas.length > 0 && { "anthropic-beta": betas.join(",") }),
      },
      body: countedBody(call),
      credentials,
      signal,
      timeoutMs,
    });
    return await countIn(answer);
  } catch (error) {
    throwConnectionFailure(error);
  }
}

function serviceIn(region: string, endpoint: string | undefined): SignedService {
  const address = endpoint ?? `https://bedrock-mantle.${region}.api.aws`;
  const known = services.get(address + region);
  if (known) return known;
  const service = signedService({ service: "bedrock-mantle", hostPrefix: "bedrock-mantle", region, endpoint: address });
  services.set(address + region, service);
  return service;
}

function countedBody({ modelId, body }: ModelCall): string {
  const fields = Object.entries(record(parseExactly(body)));
  const counted = fields.filter(([field]) => countedFields.includes(field));
  return JSON.stringify({ model: modelId, ...Object.fromEntries(counted) });
}

type Answer = { input_tokens?: unknown };

async function countIn(answer: AwsAnswer): Promise<number> {
  const text = await answer.text();
  if (answer.status === 200) {
    const { input_tokens } = JSON.parse(text) as Answer;
    if (typeof input_tokens === "number") return input_tokens;
    throw new ModelHostError("broken", "The model host answered without a count");
  }
  throw messagesError(text, answer.status);
}
