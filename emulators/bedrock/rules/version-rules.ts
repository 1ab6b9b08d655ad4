// The version of the Messages API that a body names. `2026-10-21` refuses what the version before it took.
import type { RequestBody } from "../request/body-schema.ts";
import { every, until } from "./model-group.ts";
import { blocksOf, type Rule, when } from "./rule.ts";

/** The newest version of the Messages API. */
export const latestVersion = "2026-10-21";

const migration = "platform.claude.com, migrating to API version 2026-10-21";
/** Sampling parameters that the version refuses. It refuses `top_k` too, but models that take the version refuse that with any version. */
const sampling = ["temperature", "top_p"] as const;

export const versionRules: readonly Rule[] = [
  {
    refused: `version ${latestVersion}`,
    models: until("4.6"),
    words: "anthropic_version: Input should be 'bedrock-2023-05-31'",
    wordsAreOurs: true,
    source: "platform.claude.com, versioning: Bedrock takes it for 4.7 and newer, others may answer 400",
    day: "2026-11-27",
    find: (body) => when(isLatest(body)),
  },
  ...sampling.map(
    (field): Rule => ({
      refused: `\`${field}\` with version ${latestVersion}, also its default`,
      models: every,
      words: `${field}: Extra inputs are not permitted`,
      source: `${migration}; words: ttlequals0/MinusPod 2.101.10`,
      day: "2026-10-31",
      find: (body) => when(isLatest(body) && body[field] !== undefined),
    }),
  ),
  {
    refused: `a document in an answer, with version ${latestVersion}`,
    models: every,
    words: "messages.{message}.content.{block}: document blocks are not permitted in 'assistant' messages",
    wordsAreOurs: true,
    source: migration,
    day: "2026-11-27",
    find: (body) => blockOf(body, "assistant", ({ type }) => type === "document"),
  },
  {
    refused: `citations of a user's text, with version ${latestVersion}`,
    models: every,
    words: "messages.{message}.content.{block}.text.citations: Extra inputs are not permitted",
    wordsAreOurs: true,
    source: migration,
    day: "2026-11-27",
    find: (body) =>
      blockOf(
        body,
        "user",
        ({ type, citations }) => type === "text" && Array.isArray(citations) && citations.length > 0,
      ),
  },
];

const isLatest = ({ anthropic_version: version }: RequestBody) => version === latestVersion;

function blockOf(body: RequestBody, role: string, refused: (block: { type: string; citations?: unknown }) => boolean) {
  if (!isLatest(body)) return undefined;
  const all = body.messages.flatMap((turn, message) =>
    turn.role === role ? blocksOf(turn).map((content, block) => ({ message, block, content })) : [],
  );
  const found = all.find(({ content }) => refused(content));
  return found && { message: found.message, block: found.block };
}
