// The log as structured lines of Powertools.
import { Logger } from "@aws-lambda-powertools/logger";
import type { Log } from "../domain/log.ts";
import { redacted } from "../domain/redaction.ts";

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

/** Names and messages only: a stack trace would tell of the code, and AWS's wording names accounts and resources. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < maxCauses; cause = (cause as Error).cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    causes.push(redacted(`${name}: ${message}`));
  }
  return causes;
}
