// A measured process's side of its channel to the benchmark: it says where it listens and answers questions.
import type { RequestListener } from "node:http";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Question = { id: number; ask: string; input?: unknown };
export type Answer = { id: number; output?: unknown; error?: string };
export type Listening = { url: string; facts?: unknown };

/** Answers one kind of question. */
export function answer<Input, Output>(ask: string, handle: (input: Input) => Output | Promise<Output>): void {
  process.on("message", async (question: Question) => {
    if (question.ask !== ask) return;
    const { id } = question;
    try {
      process.send?.({ id, output: await handle(question.input as Input) } satisfies Answer);
    } catch (error) {
      process.send?.({ id, error: (error as Error).message } satisfies Answer);
    }
  });
}

/** Says that the process is ready. @param facts what the benchmark has to know of it */
export function announce(url: string, facts?: unknown): void {
  process.on("disconnect", () => process.exit());
  process.send?.({ url, facts } satisfies Listening);
}

/** Connections outlast the rounds in which a variant is not asked. */
const keepAliveTimeout = 120_000;

/** Serves HTTP on a free port and says so. */
export function serve(listener: RequestListener): void {
  const server = createServer({ keepAliveTimeout }, listener);
  server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
