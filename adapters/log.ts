// The log as structured lines of Powertools.
import { Logger } from "@aws-lambda-powertools/logger";
import type { Log } from "../domain/log.ts";

/** @param serviceName the function, e.g. `control`. */
export function powertoolsLog(serviceName: string): Log {
  const logger = new Logger({ serviceName });
  return {
    info: (message, facts) => logger.info(message, facts),
    problem: (message, facts, error) => logger.error(message, { ...facts, ...(error !== undefined && { error }) }),
  };
}
