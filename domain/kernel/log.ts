// What handlers say to the platform's operators: named facts, never a body or a credential.

export interface Log {
  info(message: string, facts: Record<string, unknown>): void;
  /** Something that an operator should look at. */
  problem(message: string, facts: Record<string, unknown>, error?: unknown): void;
}
