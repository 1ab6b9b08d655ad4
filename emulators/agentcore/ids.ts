// The ids of AgentCore's resources, and times as its control plane writes them.
import { randomInt } from "node:crypto";

export const lowerCase = "abcdefghijklmnopqrstuvwxyz0123456789";

export function randomText(length: number, alphabet = lowerCase): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** Stands for the end of an id that nobody can know before the creation: policies match it by a pattern. */
export const unknownSuffix = "0000000000";

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
