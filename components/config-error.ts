// What is wrong with a stack's configuration, told to whoever deploys it.
import * as pulumi from "@pulumi/pulumi";

/** Pulumi shows it without a stack trace. */
export class ConfigError extends pulumi.RunError {
  constructor(problems: string[]) {
    super(`The stack's configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
  }
}
