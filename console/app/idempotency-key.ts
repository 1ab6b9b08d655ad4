// The Idempotency-Key of a form: sent twice as it is, it creates nothing twice; changed after a refusal, it is another request.

/** @returns the key for a request's content, the same one while the content stays the same; a form keeps it as its state */
export function idempotencyKeys(): (content?: unknown) => string {
  const keys = new Map<string, string>();
  return (content) => {
    const text = JSON.stringify(content ?? null);
    const key = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, key);
    return key;
  };
}
