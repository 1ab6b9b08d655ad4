// The JSON of a request.

/** The value that a text holds, or the text itself if that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
