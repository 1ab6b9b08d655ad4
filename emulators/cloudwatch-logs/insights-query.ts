// The query language of Logs Insights, as far as it is emulated: fields, display, filter, filterIndex, sort and limit
// (docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html). Anything else is refused as malformed.
import { AwsError } from "../aws/service.ts";
import { type Condition, conditionOf } from "./insights-condition.ts";
import { type Token, tokensOf } from "./insights-tokens.ts";

export type InsightsQuery = {
  /** The fields of each row; @timestamp and @message unless the query names some. */
  fields: string[];
  conditions: Condition[];
  sort: { field: string; descending: boolean }[];
  limit: number | undefined;
};

/** The most rows of an answer. */
export const mostRows = 10_000;

/** @throws AwsError MalformedQueryException */
export function insightsQueryOf(text: string): InsightsQuery {
  const query: InsightsQuery = { fields: [], conditions: [], sort: [], limit: undefined };
  for (const command of commandsOf(tokensOf(text))) carryOut(command, query);
  return { ...query, fields: query.fields.length > 0 ? query.fields : ["@timestamp", "@message"] };
}

/** A query that the service would not begin. */
export function malformed(message: string): AwsError {
  return new AwsError("MalformedQueryException", message);
}

function commandsOf(tokens: Token[]): Token[][] {
  const commands: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "symbol" && token.text === "|") commands.push([]);
    else commands.at(-1)?.push(token);
  }
  return commands.filter((command) => command.length > 0);
}

function carryOut([name, ...rest]: Token[], query: InsightsQuery): void {
  switch (name?.kind === "word" ? name.text.toLowerCase() : "") {
    case "fields":
      query.fields.push(...namesOf(rest));
      return;
    case "display":
      query.fields = namesOf(rest);
      return;
    case "filter":
    case "filterindex":
      query.conditions.push(conditionOf(rest));
      return;
    case "sort":
      query.sort = sortOf(rest);
      return;
    case "limit":
      query.limit = limitOf(rest);
      return;
    default:
      throw malformed(`The local Logs Insights does not know the command ${name?.text ?? ""}`);
  }
}

function namesOf(tokens: Token[]): string[] {
  const names = tokens.filter(({ text, kind }) => !(kind === "symbol" && text === ","));
  if (names.length === 0 || names.some(({ kind }) => kind !== "word")) throw malformed("a list of fields is needed");
  return names.map(({ text }) => text);
}

function sortOf(tokens: Token[]): InsightsQuery["sort"] {
  const keys: InsightsQuery["sort"] = [];
  for (const { kind, text } of tokens) {
    if (kind === "symbol" && text === ",") continue;
    const last = keys.at(-1);
    if (/^(asc|desc)$/i.test(text) && last) last.descending = text.toLowerCase() === "desc";
    // The order is descending unless said otherwise.
    else keys.push({ field: text, descending: true });
  }
  if (keys.length === 0) throw malformed("sort needs a field");
  return keys;
}

function limitOf([value, ...more]: Token[]): number {
  const limit = Number(value?.text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostRows && more.length === 0) return limit;
  throw malformed(`limit must be from 1 to ${mostRows}`);
}
