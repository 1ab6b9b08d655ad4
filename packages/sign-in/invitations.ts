// Invitations that wait for the person's answer, which they give in the console: joining changes what a token may do.
import { oneLine } from "../command-line/failure.ts";
import type { Machine } from "../command-line/machine/machine.ts";
import type { Me } from "./platform/platform.ts";

type Membership = Me["memberships"][number];

export function isInvitation({ status, tenant_slug }: Membership): boolean {
  return status === undefined && tenant_slug !== undefined;
}

/** `Good (good), by olga@good.test`: names may be alike, addresses of workspaces are not. */
function invitationWords({ tenant_id, tenant_slug = tenant_id, tenant_name, invited_by }: Membership): string {
  const name = tenant_name === undefined ? tenant_slug : `${tenant_name} (${tenant_slug})`;
  return oneLine(`${name}, by ${invited_by ?? "its owner"}`);
}

/** One sentence about all invitations; empty without one. @param consoleUrl as the platform tells it */
export function invitationAdvice({ memberships }: Pick<Me, "memberships">, consoleUrl: string): string {
  const waiting = memberships.filter(isInvitation).map(invitationWords);
  return waiting.length === 0 ? "" : `you are invited to ${waiting.join("; ")}: accept or decline in ${consoleUrl}`;
}

/** Tells of all invitations beside what a command shows; nothing without one. */
export function sayInvitations({ say }: Pick<Machine, "say">, me: Pick<Me, "memberships">, consoleUrl: string): void {
  const advice = invitationAdvice(me, consoleUrl);
  if (advice) say(`${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`);
}
