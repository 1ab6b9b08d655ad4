// The bridge from a Messages request to the model host's form of it (InvokeModel).
import { isListed, refusedFields, sentBetas } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { MessagesBody } from "./body.ts";
import { leaveOut } from "./refused-fields.ts";

/** Works for every model; the client's own version travels as a header (clients reference, 4.1). */
const modelHostVersion = "bedrock-2023-05-31";
/** The busiest client sends fourteen. */
const maxFlags = 100;
/** As all flags are written so far. What is written otherwise cannot be one, and is not tried. */
const writtenAsFlag = /^[a-z0-9][a-z0-9-]{0,63}$/i;

export type Bridged = {
  body: string;
  /** Flags and fields that were left out, as the caller wrote them. */
  dropped: string[];
  /** Flags in the body that no table lists: the model host may refuse them. */
  tried: string[];
  /** The body without them. */
  withListedFlags: () => string;
};

/**
 * The body in the model host's form: what goes into the address is out, versions and betas are in, and what the model is
 * known to refuse is left out. Everything else passes as it came.
 * @param betaHeader the client's `anthropic-beta`, which itself goes upstream untouched
 * @param worthTrying which of the flags that no table lists are sent all the same
 * @throws Refusal invalid_request, thread_unsupported_request for what would change the meaning of the answer if left out
 */
export function bridge(
  body: MessagesBody,
  model: Model,
  betaHeader: string | undefined,
  worthTrying: (flags: string[]) => string[] = (flags) => flags,
): Bridged {
  const { model: _model, stream: _stream, anthropic_beta: bodyBetas, ...rest } = body;
  const { capabilities } = model;
  const flags = flagsOf(betaHeader, bodyBetas);
  const listed = flags.filter((flag) => isListed(capabilities, flag));
  const tried = worthTrying(flags.filter((flag) => !listed.includes(flag) && writtenAsFlag.test(flag)));
  const betas = sentBetas(
    capabilities,
    flags.filter((flag) => listed.includes(flag) || tried.includes(flag)),
  );
  moveOutputFormat(rest);
  if (capabilities.system_turns === "as_user") rest.messages = asTurnsOfTheUser(rest.messages);
  const fields = leaveOut(rest, refusedFields(capabilities, betas));
  const withFlags = (anthropic_beta: string[]) =>
    write({ anthropic_version: modelHostVersion, ...(anthropic_beta.length > 0 && { anthropic_beta }), ...rest });
  return {
    body: withFlags(betas),
    dropped: [...flags.filter((flag) => !isSent(flag, model, betas)), ...fields],
    tried,
    withListedFlags: () => withFlags(betas.filter((flag) => !tried.includes(flag))),
  };
}

/** Of the header and of the body, each once. */
function flagsOf(header: string | undefined, inBody: unknown): string[] {
  const inHeader = (header ?? "").split(",").map((flag) => flag.trim());
  const flags = [...inHeader, ...list(inBody).filter((flag) => typeof flag === "string")];
  const distinct = [...new Set(flags.filter((flag) => flag !== ""))];
  if (distinct.length <= maxFlags) return distinct;
  throw new Refusal("invalid_request", `anthropic-beta: must name at most ${maxFlags} flags`);
}

/** As it is, or under another name. */
function isSent(flag: string, { capabilities }: Model, betas: readonly string[]): boolean {
  return sentBetas(capabilities, [flag]).some((sent) => betas.includes(sent));
}

/** The older name of `output_config.format`: left out, an answer would silently be prose. */
function moveOutputFormat(body: Record<string, unknown>): void {
  const { output_format: format, output_config: config } = body;
  delete body.output_format;
  if (format === undefined || format === null) return;
  body.output_config = { format, ...record(config) };
}

/** They stay where they stand: moved to the front they would undo prompt caching (LiteLLM #36968). */
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
