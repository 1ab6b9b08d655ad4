// A person's workspaces and invitations as they are told apart: names may be alike, the address belongs to one workspace.
import type { Me } from "./page.ts";

export type Membership = Me["memberships"][number];

export function fullName({ tenant_id, tenant_name = tenant_id, tenant_slug }: Membership): string {
  return tenant_slug === undefined ? tenant_name : `${tenant_name} (${tenant_slug})`;
}

/** Whether it is an invitation that the person has not answered yet. */
export function isWaiting({ status, tenant_status }: Membership): boolean {
  return status === undefined && tenant_status !== undefined && tenant_status !== "deleted";
}
