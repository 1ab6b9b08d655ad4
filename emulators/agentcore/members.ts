// Members of inputs that several operations of AgentCore take.
import * as z from "zod";

/** The token by which a repeat is known. AWS's SDK sends one by itself with each creation. */
export const clientToken = z.string().min(33).max(256).optional();
export const description = z.string().min(1).max(200).optional();
export const tags = z.record(z.string().min(1).max(128), z.string().max(256)).optional();
export const page = {
  maxResults: z.coerce.number().int().min(1).max(1000).default(100),
  nextToken: z.string().regex(/^\d+$/).optional(),
};

/** Returns one page of a list. The token is the number of entries on the pages before. */
export function pageOf<T>(all: T[], { maxResults, nextToken }: { maxResults: number; nextToken?: string | undefined }) {
  const start = Number(nextToken ?? 0);
  const end = start + maxResults;
  return { page: all.slice(start, end), ...(end < all.length && { nextToken: String(end) }) };
}
