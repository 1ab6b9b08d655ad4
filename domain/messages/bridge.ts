// The bridge from the caller's request to one that the model takes. How a host wants it written is its adapter's.
import {
  bindingControls,
  type Capabilities,
  isListed,
  type RefusedField,
  refusedFields,
  sentBetas,
  suspectedBetas,
} from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { classOf } from "../catalog/message-fields.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { MessagesBody } from "./body.ts";
import type { ModelRequest } from "./model-host.ts";
import { fieldNamed, heldBy, withoutTypes } from "./named-field.ts";
import { leaveOut } from "./refused-fields.ts";

/** Enough for every client: the one that sends the most flags sends fourteen. */
const maxFlags = 100;
/** The form of every known flag. A text of another form is not tried. */
const writtenAsFlag = /^[a-z0-9][a-z0-9-]{0,63}$/i;

/** Flags, and fields by their patterns (named-field.ts). */
export type Parts = { flags: readonly string[]; fields: readonly string[] };

/** The refusals of the model host that an instance remembers. */
export type KnownRefusals = {
  /** Whether the host refuses a call with these flags for them. */
  refusesFlags(flags: readonly string[]): boolean;
  /** The patterns of fields that the host refuses in a call with these flags. */
  fieldsRefusedWith(flags: readonly string[]): readonly string[];
};

const nothingKnown: KnownRefusals = { refusesFlags: () => false, fieldsRefusedWith: () => [] };

export type Bridged = ModelRequest & {
  /** Flags, as the caller wrote them, and fields that were left out of the body. */
  dropped: string[];
  /** The flags to leave out first if the model host refuses the body's flags; none if the body has no flags. */
  suspects: readonly string[];
  /**
   * The body that lets the model host drop thinking which is bound to another conversation; undefined where the caller sent all that it is
   * bound to, or says itself what becomes of it.
   */
  withoutBoundThinking: () => Bridged | undefined;
  /** The patterns of fields that the model host does not know, by the paths that it wrote; none if one of them cannot be found. */
  named: (paths: readonly string[]) => string[];
  /** The body without these parts and what needs them; `dropped` is then what was left out for that. */
  without: (parts: Parts) => Bridged;
  /** The body with another `max_tokens`. */
  withMaxTokens: (maxTokens: number) => Bridged;
};

/**
 * The request without what the model is known to refuse. What each host takes in a place of its own is apart. Everything else passes
 * as it came. The result follows from the request and from what the host refuses, never from what is remembered: that only spares the tries.
 * @param headerFlags the beta flags of the client's header, which itself goes upstream untouched
 * @param options.isMoved true in another region than the call's own, where the host may have taken other parts of earlier turns
 * @param options.isTried false for flags that are not worth a try; every flag that the model's table lists is sent
 * @throws Refusal invalid_request, thread_unsupported_request for what would change the meaning of the answer if left out
 */
export function bridge(
  body: MessagesBody,
  { capabilities }: Model,
  headerFlags: readonly string[],
  known: KnownRefusals = nothingKnown,
  { isTried = (flag: string) => writtenAsFlag.test(flag), isMoved = false } = {},
): Bridged {
  const { model: _model, stream: _stream, anthropic_version: _version, anthropic_beta: bodyBetas, ...rest } = body;
  const asked = flagsOf(headerFlags, bodyBetas);
  moveOutputFormat(rest);
  const isRewritten = capabilities.system_turns === "as_user" && rest.messages.some(isSystemTurn);
  if (isRewritten) rest.messages = asTurnsOfTheUser(rest.messages);
  let worth = sentBetas(
    capabilities,
    asked.filter((flag) => isListed(capabilities, flag) || isTried(flag)),
  );
  while (worth.length > 0 && known.refusesFlags(worth)) worth = lacking(worth, suspectedBetas(capabilities, worth));
  const needed = (pattern: string) => flagsNeededBy(capabilities, pattern);
  const refused = known.fieldsRefusedWith(worth);
  const lost = refused.filter((pattern) => Object.hasOwn(rest, pattern)).flatMap(needed);
  return bridgedWith(lacking(worth, lost), asked, refused, isRewritten || isMoved);

  function bridgedWith(
    betas: readonly string[],
    flags: string[],
    refused: readonly string[],
    hadOtherPrefix: boolean,
  ): Bridged {
    /** Whether the flag is sent, as it is or under another name. */
    const isSent = (flag: string) => sentBetas(capabilities, [flag]).some((name) => betas.includes(name));
    const fields = leaveOut(rest, [...refusedFields(capabilities, betas), ...refused.map(refusedByHost)]);
    const dropped = [...flags.filter((flag) => !isSent(flag)), ...fields];
    const hasOtherPrefix = hadOtherPrefix || fields.some((field) => /^(tools|system|messages)\b/.test(field));
    return {
      ...{ body: write({ ...rest, metadata: undefined }), betas, metadata: rest.metadata },
      dropped,
      suspects: suspectedBetas(capabilities, betas),
      named: (paths) => {
        const found = paths.map((path) => fieldNamed(rest, path)).filter((pattern) => pattern !== undefined);
        return found.length === paths.length ? found : [];
      },
      without: (parts) =>
        bridgedWith(
          lacking(betas, [...parts.flags, ...parts.fields.flatMap(needed)]),
          flags.filter(isSent),
          parts.fields,
          hasOtherPrefix,
        ),
      withoutBoundThinking: () => {
        const { type = "adaptive", block_binding: binding, ...thinking } = record(rest.thinking);
        if (!hasOtherPrefix || type === "disabled" || record(binding)[onMismatch] !== undefined) return undefined;
        rest.thinking = { type, ...thinking, block_binding: { ...record(binding), [onMismatch]: "drop_block" } };
        const again = bridgedWith([...new Set([...betas, bindingControls])], flags, [], hasOtherPrefix);
        return { ...again, dropped: ["messages[].content[].type=thinking"] };
      },
      withMaxTokens: (maxTokens) => {
        rest.max_tokens = maxTokens;
        return { ...bridgedWith(betas, flags, [], hasOtherPrefix), dropped };
      },
    };
  }
}

const onMismatch = "prefix_mismatch_behavior";

const lacking = (flags: readonly string[], without: readonly string[]) =>
  flags.filter((flag) => !without.includes(flag));

/** A field that the host does not know is left out, unless the answer would mean something else then. */
function refusedByHost(pattern: string): RefusedField {
  if (classOf(heldBy(pattern)) !== "meant") return { path: pattern };
  return { path: pattern, refusal: { reason: "the model host does not know it", code: "invalid_request" } };
}

/** A field and its flags come and go together. */
function flagsNeededBy({ refused_fields }: Capabilities, pattern: string): string[] {
  const name = withoutTypes(pattern);
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
  return messages.map((message) => (isSystemTurn(message) ? { ...record(message), role: "user" } : message));
}

const isSystemTurn = (message: unknown) => record(message).role === "system";

function write(body: object): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new Refusal("invalid_request", "body: is nested too deeply");
  }
}
