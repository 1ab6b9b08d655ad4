// Reads parsed JSON of unknown shape. A missing or wrong value reads as empty, so a hostile value never throws.

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
