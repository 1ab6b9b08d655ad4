// The log for the platform's operators: messages with named facts, never a body or a credential.
import type { Retention } from "./retention.ts";

/** The line that a function with a schedule logs after each run that went well. An alarm rings when it is missing. */
export const scheduledWorkDone = "The scheduled work is done";

/** How long lines of the functions' logs are kept, in which the calls of tools are searched. */
export const logRetention = { days: 30 } as const satisfies Retention;

export interface Log {
  info(message: string, facts: Record<string, unknown>): void;
  /** Logs a problem that an operator should look at. */
  problem(message: string, facts: Record<string, unknown>, error?: unknown): void;
}
