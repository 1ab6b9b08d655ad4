// OpenAPI documents outside the table: what a tenant uploaded, and what was judged and registered. They have different prefixes, because
// what was uploaded may be replaced by whoever has the address, and what was registered never changes.
import type { RegisteredSpec } from "../openapi/registered-spec.ts";
import type { McpServer } from "./mcp-server.ts";

type ServerKey = Pick<McpServer, "tenant_id" | "server_id">;

/** The prefixes by which rights are granted. */
export const specPrefixes = { uploaded: "uploads/", registered: "specs/" } as const;

/** @param upload an id of ours; empty for the beginning of all of the tenant's */
export function uploadedSpecKey(tenantId: string, upload: string): string {
  return `${specPrefixes.uploaded}${tenantId}/${upload}`;
}

export function registeredSpecKey({ tenant_id, server_id }: ServerKey, version: number): string {
  return `${specPrefixes.registered}${tenant_id}/${server_id}/${version}.json`;
}

export interface SpecStore {
  put(server: ServerKey, version: number, spec: RegisteredSpec): Promise<void>;
  /** Removes a version's document. Nothing happens if there is none. */
  remove(server: ServerKey, version: number): Promise<void>;
}

/** How long an address to upload to works, and how long what was uploaded is kept (the bucket's lifecycle). */
export const uploadSeconds = 600;
export const uploadKeptDays = 1;

export interface SpecUploads {
  /** Makes an address to which one document of exactly this many bytes can be PUT. */
  addressFor(
    tenantId: string,
    upload: string,
    limits: { bytes: number; seconds: number },
  ): Promise<{ url: string; uri: string }>;
  /** The upload that a URI names; undefined unless it is the tenant's own. */
  uploadOf(tenantId: string, uri: string): string | undefined;
}
