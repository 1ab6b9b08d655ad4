// Prompt caching: how many breakpoints, in which order, and the automatic one.
import type { RequestBody } from "../request/body-schema.ts";
import type { CacheControl } from "../request/message-schema.ts";
import { every, until } from "./model-group.ts";
import { blocksOf, type Rule, when } from "./rule.ts";

export const cacheRules: readonly Rule[] = [
  {
    refused: "automatic caching (`cache_control` at the top)",
    models: until("4.6"),
    words: "cache_control: Extra inputs are not permitted",
    source: "Anthropic's page on Bedrock, 4.6 and earlier",
    day: "2026-11-20",
    find: ({ cache_control: mark }) => when(mark !== undefined),
  },
  {
    refused: "more than four breakpoints",
    models: every,
    words: "A maximum of 4 blocks with cache_control may be provided. Found {found}.",
    source: "platform.claude.com, prompt caching",
    day: "2026-11-20",
    find: (body) => {
      const { length: found } = lifetimes(body);
      return found > 4 ? { found } : undefined;
    },
  },
  {
    refused: "a breakpoint of an hour after one of five minutes",
    models: every,
    words: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    source: "platform.claude.com, prompt caching",
    day: "2026-11-20",
    find: (body) => {
      const all = lifetimes(body);
      return when(all.includes("5m") && all.lastIndexOf("1h") > all.indexOf("5m"));
    },
  },
];

function lifetimes({ tools = [], system, messages }: RequestBody): string[] {
  const parts = [...tools, ...(typeof system === "string" ? [] : (system ?? [])), ...messages.flatMap(blocksOf)];
  return parts.flatMap((part) => {
    const mark = "cache_control" in part ? (part.cache_control as CacheControl | null | undefined) : undefined;
    return mark ? [mark.ttl ?? "5m"] : [];
  });
}
