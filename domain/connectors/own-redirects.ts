// The addresses that a workspace's owner names for clients with the gateway's own ids, such as a chat program that the workspace hosts itself.
import { fieldRefusal } from "../kernel/refusal.ts";
import { type AuditEntry, type Author, entryBy } from "../workspace/audit.ts";
import { redirectProblem } from "./redirect-address.ts";

export const mostOwnRedirects = 20;

export interface OwnRedirectStore {
  of(tenantId: string): Promise<readonly string[]>;
  /** Replaces the addresses. */
  put(tenantId: string, redirectUris: readonly string[], entry: AuditEntry): Promise<void>;
}

type Dependencies = { ownRedirects: OwnRedirectStore; clock: () => number; newId: () => string };

/** @throws Refusal invalid_request that names the first wrong address */
export async function nameRedirects(
  { ownRedirects, ...deps }: Dependencies,
  author: Author,
  redirectUris: readonly string[],
): Promise<void> {
  for (const [place, address] of redirectUris.entries()) {
    const problem = redirectProblem(address);
    if (problem !== undefined) throw fieldRefusal("invalid_request", `redirect_uris.${place}`, problem);
  }
  const { tenantId } = author;
  const named = [...new Set(redirectUris)];
  const before = { redirect_uris: await ownRedirects.of(tenantId) };
  const change = { action: "mcp_gateway.update", target: tenantId, before, after: { redirect_uris: named } } as const;
  await ownRedirects.put(tenantId, named, entryBy(deps, author, change));
}
