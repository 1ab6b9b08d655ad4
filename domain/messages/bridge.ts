// The bridge from the caller's request to one that the model takes. How a host wants it written is its adapter's.
import { type Capabilities, isListed, refusedFields, sentBetas, suspectedBetas } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { MessagesBody } from "./body.ts";
import type { ModelRequest } from "./model-host.ts";
import { leaveOut } from "./refused-fields.ts";

/** Enough for every client: the one that sends the most flags sends fourteen. */
const maxFlags = 100;
/** The form of every known flag. A text of another form is not tried. */
const writtenAsFlag = /^[a-z0-9][a-z0-9-]{0,63}$/i;

/** Names of flags, and of fields at the top of the body. */
export type Parts = { flags: readonly string[]; fields: readonly string[] };

/** Gives the parts that are worth sending: without those that the model host is remembered to refuse. */
export type WorthSending = (parts: Parts) => Parts;

export type Bridged = ModelRequest & {
  /** Flags, as the caller wrote them, and fields that were left out of the body. */
  dropped: string[];
  /** The parts to leave out first if the model host refuses the body's flags; none if the body has no flags. */
  suspects: Parts;
  /** The parts to leave out if the model host does not know the field; none if the answer could mean something else without it. */
  withField: (field: string) => Parts;
  /** The body without these parts and what needs them; `dropped` is then what was left out for that. */
  without: (parts: Parts) => Bridged;
  /** The body with another `max_tokens`. */
  withMaxTokens: (maxTokens: number) => Bridged;
};

/**
 * The request without what the model is known to refuse. What each host takes in a place of its own is apart. Everything else passes
 * as it came.
 * @param headerFlags the beta flags of the client's header, which itself goes upstream untouched
 * @param worthSending asked for the flags that the model's table lets pass or does not list, and the fields that may be left out
 * @throws Refusal invalid_request, thread_unsupported_request for what would change the meaning of the answer if left out
 */
export function bridge(
  body: MessagesBody,
  { capabilities }: Model,
  headerFlags: readonly string[],
  worthSending: WorthSending = (parts) => parts,
): Bridged {
  const { model: _model, stream: _stream, anthropic_version: _version, anthropic_beta: bodyBetas, ...rest } = body;
  const asked = flagsOf(headerFlags, bodyBetas);
  const known = asked.filter((flag) => isListed(capabilities, flag) || writtenAsFlag.test(flag));
  moveOutputFormat(rest);
  if (capabilities.system_turns === "as_user") rest.messages = asTurnsOfTheUser(rest.messages);
  const spare = Object.keys(rest).filter((name) => isSpare(capabilities, name));
  const worth = worthSending({ flags: sentBetas(capabilities, known), fields: spare });
  return bridgedWith(
    worth.flags,
    asked,
    spare.filter((name) => !worth.fields.includes(name)),
  );

  function bridgedWith(betas: readonly string[], flags: string[], refused: readonly string[]): Bridged {
    /** Whether the flag is sent, as it is or under another name. */
    const isSent = (flag: string) => sentBetas(capabilities, [flag]).some((name) => betas.includes(name));
    const fields = leaveOut(rest, [...refusedFields(capabilities, betas), ...refused.map((path) => ({ path }))]);
    const dropped = [...flags.filter((flag) => !isSent(flag)), ...fields];
    return {
      ...{ body: write(rest), betas },
      dropped,
      suspects: { flags: suspectedBetas(capabilities, betas), fields: [] },
      withField: (field) => {
        const needed = betas.filter((flag) => flagsNeededBy(capabilities, field).includes(flag));
        const goes = Object.hasOwn(rest, field) && isSpare(capabilities, field);
        return { flags: goes ? needed : [], fields: goes && needed.length === 0 ? [field] : [] };
      },
      without: (parts) =>
        bridgedWith(
          betas.filter((flag) => !parts.flags.includes(flag)),
          flags.filter(isSent),
          parts.fields,
        ),
      withMaxTokens: (maxTokens) => {
        rest.max_tokens = maxTokens;
        return { ...bridgedWith(betas, flags, []), dropped };
      },
    };
  }
}

/** The fields that every model knows. Without one of them the answer could mean something else. */
const knownFields = new Set(
  (
    "max_tokens messages system temperature top_p top_k stop_sequences tools tool_choice " +
    "thinking metadata output_config context_management cache_control"
  ).split(" "),
);

/** Whether a field may be left out if the model host does not know it: one that the table says so of, or that nobody knows. */
function isSpare(capabilities: Capabilities, name: string): boolean {
  return /^\w+$/.test(name) && (!knownFields.has(name) || flagsNeededBy(capabilities, name).length > 0);
}

/** A field and its flags come and go together. */
function flagsNeededBy({ refused_fields }: Capabilities, name: string): string[] {
  return refused_fields.flatMap(({ path, type, value, unless_betas = [] }) =>
    path === name && type === undefined && value === undefined ? unless_betas : [],
  );
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
    return JSON.stringify(body);
  } catch {
    throw new Refusal("invalid_request", "body: is nested too deeply");
  }
}
