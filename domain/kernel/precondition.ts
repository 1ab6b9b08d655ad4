// Conditional changes: whoever changes a thing may say which version of it they mean.
import { Refusal } from "./refusal.ts";

/**
 * @param ifMatch the versions that will do; any if none is given
 * @throws Refusal precondition_failed.
 */
export function requireVersion(ifMatch: readonly string[] | undefined, version: string): void {
  if (ifMatch !== undefined && !ifMatch.includes(version)) throw notAt(version);
}

export function notAt(version: string): Refusal {
  return new Refusal(
    "precondition_failed",
    `if-match: it was changed since; its ETag is "${version}" now, read it again`,
  );
}
