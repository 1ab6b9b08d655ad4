// The JSON of a request.

/** The value that a text holds, or the text itself if that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `JSON` with ECMA-262's "JSON.parse source text access", which Node has and TypeScript's types lack. */
type ExactJson = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};
const exact = JSON as unknown as ExactJson;

/**
 * Parses as `parseJson` does, so that `JSON.stringify` gives each number back as it was written. JavaScript would write 12345678901234567890 as
 * 12345678901234567000 and 1.0 as 1.
 */
export function parseExactly(text: string): unknown {
  try {
    return exact.parse(text, (_key, value, { source }) =>
      typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
    );
  } catch {
    return text;
  }
}
