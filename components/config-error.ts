// The error that tells whoever deploys a stack what is wrong with its configuration.
import * as pulumi from "@pulumi/pulumi";

/** Pulumi shows a `RunError` without a stack trace. */
export class ConfigError extends pulumi.RunError {
  constructor(problems: string[]) {
    super(`The stack's configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
  }
}

const noted: string[] = [];

/** Keeps what a component finds wrong, and lets the program go on, so that one start tells everything. */
export function note(problems: string[]): void {
  noted.push(...problems);
}

/**
 * The program calls this at its end. `pulumi up` runs the program for its preview first; the preview fails, so nothing is made. With
 * `--skip-preview` the deployment would have begun.
 * @throws ConfigError that lists what was noted
 */
export function refuseNoted(): void {
  if (noted.length > 0) throw new ConfigError(noted.splice(0));
}
