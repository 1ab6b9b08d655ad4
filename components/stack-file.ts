// The stack's file, as far as Pulumi ignores it: a key of ours outside of `config:`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { ConfigError } from "./config-error.ts";

/**
 * Refuses keys of a stack's file outside of `config:`. Pulumi ignores them in silence, and `pulumi config set` moves comments from the end
 * of `config:` out of it, where somebody may then uncomment an option.
 * @param folder the program's, in which Pulumi finds the file
 * @throws ConfigError that names the keys
 */
export function refuseStrayKeys(folder: string, stack = pulumi.getStack()): void {
  const file = `Pulumi.${stack}.yaml`;
  const path = join(folder, file);
  const stray = existsSync(path) ? strayKeys(readFileSync(path, "utf8")) : [];
  if (stray.length > 0) throw new ConfigError(stray.map((key) => `${key}: stands outside of "config:" in ${file}`));
}

/** The platform's own keys at the beginning of a line. */
export function strayKeys(text: string): string[] {
  return [...text.matchAll(/^(archway:\w+)\s*:/gm)].map(([, key = ""]) => key);
}
