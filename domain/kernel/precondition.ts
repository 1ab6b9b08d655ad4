// Conditional changes: a caller may name the versions of a record that the change may be made on.
import { Refusal } from "./refusal.ts";

/**
 * @param expected versions that the caller accepts; undefined accepts any
 * @throws Refusal precondition_failed.
 */
export function requireVersion(expected: readonly string[] | undefined, version: string): void {
  if (expected !== undefined && !expected.includes(version)) throw preconditionFailed(version);
}

/** @param version that the record has now */
export function preconditionFailed(version: string): Refusal {
  return new Refusal("precondition_failed", `It was changed since; its version is "${version}" now, read it again`);
}
