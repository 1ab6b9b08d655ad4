// The log as structured lines of Powertools.
import { Logger } from "@aws-lambda-powertools/logger";
import type { Log } from "../domain/kernel/log.ts";
import { redacted } from "./redaction.ts";

/** An error's causes are followed this far. */
const maxCauses = 4;

/** @param serviceName the function, e.g. `control`. */
export function powertoolsLog(serviceName: string): Log {
  const logger = new Logger({ serviceName });
  return {
    info: (message, facts) => logger.info(message, facts),
    problem: (message, facts, error) =>
      logger.error(message, { ...facts, ...(error !== undefined && { causes: causesOf(error) }) }),
  };
}

/**
 * Names and messages only: a stack trace would tell of the code, and AWS's wording names accounts and resources. What
 * could not be parsed is quoted in the message of a SyntaxError, and may be somebody's prompt.
 */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < maxCauses; cause = (cause as Error | null)?.cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    causes.push(name === "SyntaxError" ? name : redacted(`${name}: ${message}`));
  }
  return causes;
}
