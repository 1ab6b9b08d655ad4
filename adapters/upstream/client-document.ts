// Fetches the metadata document of an MCP client: 200 alone, no redirect, few bytes, and soon.
import type { DocumentFetch } from "../../domain/connectors/client-document.ts";
import { UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";
import { type PublicFetchOptions, publicFetch } from "./public-fetch.ts";

const timeoutMs = 5_000;
const mostBytes = 65_536;
/** A document whose server says nothing of it is asked for again after this. */
const usualFreshSeconds = 300;

export function clientDocumentFetch(options: Pick<PublicFetchOptions, "resolve" | "request"> = {}): DocumentFetch {
  return async (address) => {
    const { fetch } = publicFetch({ signal: AbortSignal.timeout(timeoutMs), mostBytes, ...options });
    try {
      const answer = await fetch(address, { headers: { accept: "application/json" } });
      const text = await answer.text();
      if (answer.status !== 200) return { failure: `its server answers with status ${answer.status}` };
      return { text, freshSeconds: freshSecondsOf(answer.headers.get("cache-control") ?? "") };
    } catch (error) {
      if (error instanceof UpstreamFailure) return { failure: error.message };
      throw error;
    }
  };
}

function freshSecondsOf(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const [, seconds] = /\bmax-age="?(\d{1,9})/i.exec(cacheControl) ?? [];
  return seconds === undefined ? usualFreshSeconds : Number(seconds);
}
