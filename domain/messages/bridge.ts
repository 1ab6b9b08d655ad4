// The bridge from a Messages request to the model host's form of it (InvokeModel).
import { isListed, refusedFields, sentBetas } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { MessagesBody } from "./body.ts";
import { leaveOut } from "./refused-fields.ts";

/** The one version that InvokeModel takes in the body, for every model. The client's own version goes as a header. */
const modelHostVersion = "bedrock-2023-05-31";
/** The client that sends most flags sends fourteen. */
const maxFlags = 100;
/** The form of every known flag. A text of another form is not tried. */
const writtenAsFlag = /^[a-z0-9][a-z0-9-]{0,63}$/i;

export type Bridged = {
  body: string;
  /** Flags, as the caller wrote them, and fields that were left out of the body. */
  dropped: string[];
  /** The flags in the body. The model host may refuse them. */
  betas: string[];
  /** The flags in the body that no table lists. */
  tried: string[];
  /** The body without these flags and the fields that need them; `dropped` is then what was left out for that. */
  without: (flags: readonly string[]) => Bridged;
  /** The body with another `max_tokens`. */
  withMaxTokens: (maxTokens: number) => Bridged;
};

/**
 * The body in the model host's form: what goes into the address is out, versions and betas are in, and what the model is
 * known to refuse is left out. Everything else passes as it came.
 * @param headerFlags the beta flags of the client's header, which itself goes upstream untouched
 * @param worthTrying which flags are sent, of those that the model's table lets pass or does not list
 * @throws Refusal invalid_request, thread_unsupported_request for what would change the meaning of the answer if left out
 */
export function bridge(
  body: MessagesBody,
  { capabilities }: Model,
  headerFlags: readonly string[],
  worthTrying: (flags: string[]) => string[] = (flags) => flags,
): Bridged {
  const { model: _model, stream: _stream, anthropic_beta: bodyBetas, ...rest } = body;
  const asked = flagsOf(headerFlags, bodyBetas);
  const known = asked.filter((flag) => isListed(capabilities, flag) || writtenAsFlag.test(flag));
  moveOutputFormat(rest);
  if (capabilities.system_turns === "as_user") rest.messages = asTurnsOfTheUser(rest.messages);
  return bridgedWith(worthTrying(sentBetas(capabilities, known)), asked);

  function bridgedWith(betas: string[], flags: string[]): Bridged {
    /** Whether the flag is in the body, as it is or under another name. */
    const isSent = (flag: string) => sentBetas(capabilities, [flag]).some((name) => betas.includes(name));
    const fields = leaveOut(rest, refusedFields(capabilities, betas));
    const dropped = [...flags.filter((flag) => !isSent(flag)), ...fields];
    return {
      body: write({
        anthropic_version: modelHostVersion,
        ...(betas.length > 0 && { anthropic_beta: betas }),
        ...rest,
      }),
      dropped,
      betas,
      tried: betas.filter((flag) => !isListed(capabilities, flag)),
      without: (refused) =>
        bridgedWith(
          betas.filter((flag) => !refused.includes(flag)),
          flags.filter(isSent),
        ),
      withMaxTokens: (maxTokens) => {
        rest.max_tokens = maxTokens;
        return { ...bridgedWith(betas, flags), dropped };
      },
    };
  }
}

/** The flags of the header and of the body, each once. */
function flagsOf(inHeader: readonly string[], inBody: unknown): string[] {
  const flags = [...inHeader, ...list(inBody).filter((flag) => typeof flag === "string")];
  const distinct = [...new Set(flags.filter((flag) => flag !== ""))];
  if (distinct.length <= maxFlags) return distinct;
  throw new Refusal("invalid_request", `anthropic-beta: must name at most ${maxFlags} flags`);
}

/** The older name of `output_config.format`: left out, an answer would silently be prose. */
function moveOutputFormat(body: Record<string, unknown>): void {
  const { output_format: format, output_config: config } = body;
  delete body.output_format;
  if (format === undefined || format === null) return;
  body.output_config = { format, ...record(config) };
}

/** System turns keep their place: moved to the front they would undo prompt caching (LiteLLM #36968). */
function asTurnsOfTheUser(messages: unknown[]): unknown[] {
  return messages.map((message) => {
    return record(message).role === "system" ? { ...record(message), role: "user" } : message;
  });
}

function write(body: object): string {
  try {
    return JSON.stringify({ ...body, anthropic_version: modelHostVersion });
  } catch {
    throw new Refusal("invalid_request", "body: is nested too deeply");
  }
}
