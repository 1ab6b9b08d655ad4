// Signatures of thinking. The engine that answers writes them, so only the built-in one checks them: a real server knows its own.

import type { RequestBody } from "../request/body-schema.ts";
import { every } from "./model-group.ts";
import { blocksWithin, type Particulars, type Rule } from "./rule.ts";
import { bindThinking, checksPrefix, isSignature } from "./thinking-binding.ts";

export const signatureRules: readonly Rule[] = [
  {
    refused: "thinking without a signature",
    models: every,
    words: "{path}.signature: Field required",
    source: "earendil-works/pi#2063 and can1357/oh-my-pi#10486 (Bedrock)",
    day: "2026-09-25",
    find: (body) => thinking(body, (signature) => signature === ""),
  },
  {
    refused: "thinking with a signature that the host did not write",
    models: every,
    words: "{at}: Invalid `signature` in `thinking` block",
    source: "anthropics/anthropic-sdk-python#1598, kaitranntt/ccs#415",
    day: "2026-05-23",
    find: (body) => thinking(body, (signature) => signature !== "" && !isSignature(signature)),
  },
  {
    refused: "thinking after something else than it was made after, unless the request asks to drop it",
    models: checksPrefix,
    words:
      '{at}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    source:
      'platform.claude.com, "Preserved thinking"; AWS, claude-messages-thinking-block-binding; anomalyco/opencode#48637. Fable 5.2 for every account, the others by the setting `bindsThinking`',
    day: "2026-11-27",
    find: (body, host) => {
      const { broken } = bindThinking(body, host);
      return broken === undefined ? undefined : { at: broken };
    },
  },
];

function thinking(body: RequestBody, refused: (signature: string) => boolean): Particulars | undefined {
  const found = blocksWithin(body).find(({ block }) => block.type === "thinking" && refused(block.signature));
  return found && { path: found.path, at: found.at };
}
