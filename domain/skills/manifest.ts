// The manifest of a version: each file with its size and digest, and one digest of all.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { SkillFile } from "./skill-file.ts";

export const digestText = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 hexadecimal digits');

export const manifestEntrySchema = z
  .object({
    path: z.string().describe("Path of the file, relative to the skill's folder"),
    size: z.int().describe("Size of the file in bytes"),
    digest: digestText.describe("SHA-256 digest of the file's content"),
  })
  .meta({ id: "SkillFileEntry", description: "A file of a skill's version" });

export type ManifestFile = z.output<typeof manifestEntrySchema>;

/** The order of a manifest: that of the paths' UTF-16 units. */
export function inOrder<T extends Pick<SkillFile, "path">>(files: readonly T[]): T[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The manifest has one entry for each file. */
export function manifestOf(files: readonly SkillFile[]): ManifestFile[] {
  return inOrder(files).map(({ path, content }) => ({ path, size: content.length, digest: sha256(content) }));
}

/**
 * The digest of a version: SHA-256 of its manifest as JSON without blanks, the entries in their order and each with path, size and digest in this
 * order.
 */
export function digestOf(manifest: readonly ManifestFile[]): string {
  const entries = manifest.map(({ path, size, digest }) => ({ path, size, digest }));
  return sha256(JSON.stringify(entries));
}

/** A digest with its own name before it. */
export function sha256(content: Uint8Array | string): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
