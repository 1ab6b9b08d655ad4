// An MCP client that asks for a sign-in: known by a gateway's fixed id, by the address of its metadata document, or by a registration whose id is
// sealed and stored nowhere.
import { createHash } from "node:crypto";
import type { ClientDocuments } from "./client-document.ts";
import { isLoopback, isSameRedirect } from "./redirect-address.ts";
import type { Sealing } from "./sealed.ts";
import { vendors } from "./vendors.ts";

export type ConnectorClient =
  /** The client of a gateway's own id: whoever has it, for this gateway alone. */
  | { kind: "fixed"; clientId: string; tenantId: string }
  /** The client that publishes a metadata document; the host of the document is proof of who it is. */
  | { kind: "document"; clientId: string; name: string | undefined; redirectUris: readonly string[] }
  /** The client that registered itself, whose name is unproven. */
  | { kind: "registered"; clientId: string; name: string | undefined; redirectUris: readonly string[] };

export type ClientDependencies = {
  sealing: Pick<Sealing, "open">;
  documents: ClientDocuments;
  /** The workspace to whose gateway a fixed client id belongs. */
  fixedClients: { tenantOf(clientId: string): Promise<string | undefined> };
  clock: () => number;
};

/** The kind of a client id by its form. */
export function kindOf(clientId: string): ConnectorClient["kind"] {
  if (/^https:/i.test(clientId)) return "document";
  return clientId.includes(".") ? "registered" : "fixed";
}

/** @throws PageRefusal if a metadata document cannot be read, or does not serve; undefined for a client that is not known */
export async function findClient(
  { sealing, documents, fixedClients, clock }: ClientDependencies,
  clientId: string,
): Promise<ConnectorClient | undefined> {
  const kind = kindOf(clientId);
  if (kind === "document") return { kind, clientId, ...(await documents.read(clientId)) };
  if (kind === "registered") {
    const registration = await sealing.open("client", clientId, clock());
    return registration && { kind, clientId, name: registration.name, redirectUris: registration.redirect_uris };
  }
  // The form of an app client's id (API_UserPoolClientType.html).
  if (!/^\w{1,128}$/.test(clientId)) return undefined;
  const tenantId = await fixedClients.tenantOf(clientId);
  return tenantId === undefined ? undefined : { kind, clientId, tenantId };
}

/**
 * Whether the client may be answered at this address. A fixed id says nothing of the program that has it, so it serves programs on the person's own
 * machine, the vendors' clients, and the addresses that the gateway's owner has named.
 * @param ownRedirects the addresses that the gateway's owner has named
 */
export function mayRedirect(client: ConnectorClient, asked: string, ownRedirects: readonly string[]): boolean {
  if (client.kind !== "fixed") return client.redirectUris.some((known) => isSameRedirect(known, asked));
  const url = URL.parse(asked);
  if (url && isLoopback(url)) return true;
  return [...vendors.flatMap(({ redirectUris }) => redirectUris), ...ownRedirects].some((known) => known === asked);
}

/** The short form of a client's id, to which codes and refresh tokens are bound. */
export function clientHash(clientId: string): string {
  return createHash("sha256").update(clientId).digest("base64url");
}
