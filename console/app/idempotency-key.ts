// The Idempotency-Key of a form: sent twice as it is, it creates nothing twice; changed after a refusal, it is another request.
import { useState } from "react";

/** @returns the key for a request's content, the same one while the content stays the same */
export function useIdempotencyKey(): (content?: unknown) => string {
  const [keys] = useState(() => new Map<string, string>());
  return (content) => {
    const text = JSON.stringify(content ?? null);
    const key = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, key);
    return key;
  };
}
