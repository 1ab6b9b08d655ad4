// The JSON of a request.

/** The value that a body holds, or its text if that is no JSON. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
