// Records the v1 requests of a test run, one JSON document a line, in the folder that STRIPE_REQUESTS_DIR names, if it names one.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export type RecordedRequest = {
  method: string;
  /** Includes the query. */
  url: string;
  body: string;
  operation: string;
  status: number;
  /** `error.code` of the answer. */
  code?: string;
};

type Outcome = { status: number; body: unknown; operation: string };

export function recordRequest(
  { method, url, body }: { method: string; url: string; body: string },
  { status, operation, body: answer }: Outcome,
): void {
  const folder = process.env.STRIPE_REQUESTS_DIR;
  if (!folder || !url.startsWith("/v1/") || operation === "") return;
  const code = (answer as { error?: { code?: string } } | undefined)?.error?.code;
  const line: RecordedRequest = { method, url, body, operation, status, ...(code && { code }) };
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
}
