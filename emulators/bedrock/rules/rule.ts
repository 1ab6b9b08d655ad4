// A rule of the host: what it refuses of which models, in which words, and who says so. docs/local-host.md lists them all.
import { AwsError } from "../../aws/service.ts";
import type { HostModel } from "../models.ts";
import type { RequestBody } from "../request/body-schema.ts";
import type { Block } from "../request/message-schema.ts";
import type { ModelGroup } from "./model-group.ts";

export type Rule = {
  /** The part of a request that is refused, as docs/local-host.md names it. No two rules have the same. */
  refused: string;
  models: ModelGroup;
  /** Beta flags. With any of them the part is taken. */
  unless?: readonly string[];
  /** The message, with `{name}` for each of the particulars. */
  words: string;
  /** Set where no source has the words. */
  wordsAreOurs?: true;
  source: string;
  /** The day of the source, or the day on which it was read. */
  day: string;
  /** The particulars of the first part that is refused. */
  find: (body: RequestBody, host: Circumstances) => Particulars | undefined;
};

export type Circumstances = {
  model: HostModel;
  /** Whether the account is as those made since 31 August 2026, to whom every newest model binds its thinking. */
  bindsThinking: boolean;
};

export type Particulars = Record<string, string | number>;

/** @throws AwsError ValidationException in the words of the first rule that is broken. */
export function checkRules(rules: readonly Rule[], body: RequestBody, host: Circumstances): void {
  const flags = body.anthropic_beta ?? [];
  for (const { models, unless = [], words, find } of rules) {
    if (!models.has(host.model.id) || unless.some((flag) => flags.includes(flag))) continue;
    const found = find(body, host);
    if (found)
      throw new AwsError(
        "ValidationException",
        words.replaceAll(/\{(\w+)\}/g, (_, name) => `${found[name]}`),
      );
  }
}

/** No particulars are needed where the words are always the same. */
export const when = (refused: boolean): Particulars | undefined => (refused ? {} : undefined);

export type Message = RequestBody["messages"][number];

export const blocksOf = ({ content }: Message): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Each block with where it is. `path` names the types on the way, as the host's messages about parts of a block do. */
export function blocksWithin(body: RequestBody): { message: Message; path: string; at: string; block: Block }[] {
  return body.messages.flatMap((message, index) =>
    blocksOf(message).flatMap((block, place) => {
      const at = `messages.${index}.content.${place}`;
      const path = `${at}.${block.type}`;
      const inner = block.type === "tool_result" && Array.isArray(block.content) ? (block.content as Block[]) : [];
      return [
        { message, path, at, block },
        ...inner.map((part, within) => ({
          message,
          path: `${path}.content.${within}.${part.type}`,
          at: `${path}.content.${within}`,
          block: part,
        })),
      ];
    }),
  );
}
