// The rules of the host, in the order in which it checks them. What no schema takes is refused before.
import { betaRules } from "./beta-rules.ts";
import { cacheRules } from "./cache-rules.ts";
import { mediaRules } from "./media-rules.ts";
import { messageRules } from "./message-rules.ts";
import type { Rule } from "./rule.ts";
import { samplingRules } from "./sampling-rules.ts";
import { signatureRules } from "./signature-rules.ts";
import { thinkingRules } from "./thinking-rules.ts";
import { toolRules } from "./tool-rules.ts";
import { versionRules } from "./version-rules.ts";

/** The rules that hold for every engine, an upstream server included. */
export const requestRules: readonly Rule[] = [
  ...betaRules,
  ...versionRules,
  ...samplingRules,
  ...thinkingRules,
  ...messageRules,
  ...toolRules,
  ...mediaRules,
  ...cacheRules,
];

export const hostRules: readonly Rule[] = [...requestRules, ...signatureRules];
