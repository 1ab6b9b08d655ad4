// Reads an HTTP request's body into memory, up to a limit.
import type { IncomingMessage } from "node:http";

/**
 * Gives undefined for a body above the limit. Up to four times the limit is read and dropped, so that the client gets to see the
 * answer.
 * @throws Error if the client leaves before the end.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else if (bytes > maxBytes * 4) break;
  }
  if (bytes > maxBytes) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
