// JSON whose numbers leave as they came. JavaScript would write 12345678901234567890 as 12345678901234567000 and 1.0 as 1,
// and the model reads the arguments of its earlier tool calls again.

import { type JsonMeasure, measureJson } from "./json-measure.ts";

/** `JSON` with ECMA-262's "JSON.parse source text access", which Node has and TypeScript's types lack. */
type ExactJson = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { rawJSON: string };
};
const exact = JSON as unknown as ExactJson;

/**
 * Parses JSON so that `JSON.stringify` gives each number back as it was written. Such numbers are objects in between, but
 * for those at the top, which the platform reads itself.
 * @param measure of the text. Only delicate numbers are worth the source of each value, which costs several times as much.
 * @throws SyntaxError
 */
export function parseExactly(text: string, { hasDelicateNumbers }: JsonMeasure = measureJson(text)): unknown {
  if (!hasDelicateNumbers) return JSON.parse(text);
  const parsed = exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return parsed;
  const top = Object.entries(parsed).map(([name, value]) => [
    name,
    exact.isRawJSON(value) ? Number(value.rawJSON) : value,
  ]);
  return Object.fromEntries(top);
}
