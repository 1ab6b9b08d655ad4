// Thinking is bound to what was before it: to its model, to `system`, `tools` and the earlier messages, and to the thinking
// before it. The built-in engine writes all three into the signature of a thinking block, and reads them when the block comes back.
//
// platform.claude.com, "Preserved thinking" and "Fix a thinking block bound to a different conversation"; AWS,
// claude-messages-thinking-block-binding; vendor's SDK 1.14, `BetaThinkingDroppedInputTransformation` (all 2026-11).
import { createHash, type Hash } from "node:crypto";
import type { RequestBody } from "../request/body-schema.ts";
import type { Block } from "../request/message-schema.ts";
import { bindingControls } from "./beta-rules.ts";
import { only } from "./model-group.ts";
import type { Circumstances } from "./rule.ts";

/** The content of a signature. */
type Seal = {
  /** The model that thought it. */
  model: string;
  /** A digest of what was before it. */
  prefix: string;
  /** The digest of the signature of the thinking before it, or null. */
  after: string | null;
};

type Reason = "model_binding_mismatch" | "prefix_binding_mismatch";
export type Transformation = { type: "thinking_dropped" | "thinking_mismatch_allowed"; path: string; reason: Reason };

export type Binding = {
  /** The body as the model reads it: without the blocks that are dropped. */
  body: RequestBody;
  /** The value of `input_transformations` in the answer; undefined without its flag. */
  transformations: Transformation[] | undefined;
  /** The place of the block for which the request is refused. */
  broken?: string;
  /** The signature of new thinking after this body. */
  signature: string;
};

/** Models that check what was before a block. Claude Mythos, which does so too, is by invitation. */
export const checksPrefix = only("fable-5-1", "fable-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5");
/** Models that check it for every account. Others check it for accounts made since 31 August 2026, or if the request asks for it. */
const checksForEveryone = only("fable-5-2");

/** Checks each thinking block of a body against what is before it. */
export function bindThinking(body: RequestBody, { model, bindsThinking }: Circumstances): Binding {
  const behavior = prefixBehavior(body);
  const checks = checksPrefix.has(model.id);
  const enforced = checks && (checksForEveryone.has(model.id) || bindsThinking || behavior !== undefined);
  const drops = behavior === "drop_block";
  const prefix = openingOf(body);
  const transformations: Transformation[] = [];
  const dropped = new Set<Block>();
  let after: string | null = null;
  let broken: string | undefined;
  for (const [index, { role, content }] of body.messages.entries()) {
    for (const [place, block] of blocks(content).entries()) {
      if (block.type !== "thinking") {
        prefix.update(json([role, block]));
        continue;
      }
      const path = `messages.${index}.content.${place}`;
      const seal = readSeal(block.signature);
      const reason = seal && mismatch(seal, { reader: model.id, checks, prefix: digest(prefix), after });
      const isRead = reason === undefined || (reason === "prefix_binding_mismatch" && !(enforced && drops));
      if (reason)
        transformations.push({ type: isRead ? "thinking_mismatch_allowed" : "thinking_dropped", path, reason });
      if (reason === "prefix_binding_mismatch" && enforced && !drops) broken ??= path;
      if (isRead) after = digestOf(block.signature);
      else dropped.add(block);
    }
  }
  return {
    body: dropped.size > 0 ? withoutBlocks(body, dropped) : body,
    transformations: body.anthropic_beta?.includes(bindingControls) ? transformations : undefined,
    ...(broken !== undefined && { broken }),
    signature: writeSeal({ model: model.id, prefix: digest(prefix), after }),
  };
}

/** Whether the host wrote this signature. */
export const isSignature = (text: string): boolean => readSeal(text) !== undefined;

/**
 * A model reads its own thinking, and that of these others. The first block that it reads may be any: blocks before it can have
 * been left out, but none in between.
 */
function mismatch(
  { model, prefix, after }: Seal,
  now: { reader: string; checks: boolean; prefix: string; after: string | null },
): Reason | undefined {
  const isReadable =
    model === now.reader ||
    only("haiku-5-5").has(model) ||
    (only("opus-5").has(model) && only("fable-5-1").has(now.reader));
  if (!isReadable) return "model_binding_mismatch";
  if (!now.checks) return undefined;
  const follows = now.after === null || now.after === after;
  return follows && prefix === now.prefix ? undefined : "prefix_binding_mismatch";
}

function prefixBehavior({ thinking }: RequestBody): string | undefined {
  const shown = thinking?.type === "adaptive" || thinking?.type === "enabled" ? thinking.block_binding : undefined;
  return shown?.prefix_mismatch_behavior ?? undefined;
}

/** The hash of what is before the first message. A text in place of a list of blocks is one block. */
function openingOf({ tools = [], system = [] }: RequestBody): Hash {
  return createHash("sha256").update(json([tools, blocks(system)]));
}

const blocks = <Part>(content: string | Part[]): Part[] =>
  typeof content === "string" ? [{ type: "text", text: content } as Part] : content;

/** A cache breakpoint is no part of a conversation. */
const json = (value: unknown) => JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part));

const digest = (hash: Hash) => hash.copy().digest("base64url").slice(0, 12);
const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 12);

function withoutBlocks(body: RequestBody, dropped: ReadonlySet<Block>): RequestBody {
  const messages = body.messages.map((message) =>
    typeof message.content === "string"
      ? message
      : { ...message, content: message.content.filter((block) => !dropped.has(block)) },
  );
  return { ...body, messages: messages as RequestBody["messages"] };
}

const writeSeal = ({ model, prefix, after }: Seal) =>
  Buffer.from(`${model} ${prefix} ${after ?? ""}`).toString("base64");

function readSeal(signature: string): Seal | undefined {
  const text = Buffer.from(signature, "base64").toString();
  const [, model = "", prefix = "", after = ""] = /^(\S+) ([\w-]{12}) ([\w-]{12}|)$/.exec(text) ?? [];
  return model === "" ? undefined : { model, prefix, after: after === "" ? null : after };
}
