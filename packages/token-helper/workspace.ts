// The workspace that a person's token names, and what they may call models for.
import { Failure } from "../command-line/failure.ts";
import { invitationAdvice } from "../sign-in/invitations.ts";
import type { Budget, Me } from "../sign-in/platform/platform.ts";

/** A workspace that one may call models in. */
export type Workspace = { slug: string; name: string; role: string; budget: Budget };

/** The workspace of the token. @throws Failure that says whom to ask. */
export function workspaceOf(me: Me, consoleUrl: string): Workspace {
  const { tenant_id, tenant_role = "", memberships, budget } = me;
  const membership = memberships.find((each) => each.tenant_id === tenant_id);
  if (!membership?.tenant_slug) {
    const advice = invitationAdvice(me, consoleUrl) || `create one in ${consoleUrl}, or ask for an invitation`;
    throw new Failure("failed", `you are in no workspace: ${advice}${elsewhere(me)}`);
  }
  const { tenant_slug: slug, tenant_name: name = slug, tenant_status } = membership;
  if (tenant_status && tenant_status !== "active")
    throw new Failure("failed", `the workspace ${name} is ${tenant_status}: ${whoMends(tenant_role, consoleUrl)}`);
  if (!budget) throw new Failure("failed", `you have no grant in the workspace ${name}: ask its owner for one`);
  return { slug, name, role: tenant_role, budget };
}

function whoMends(role: string, consoleUrl: string): string {
  return role === "owner"
    ? `${consoleUrl}, tells you why and what to do`
    : `its owner finds the reason in ${consoleUrl}`;
}

/** A hint for people with several accounts: each way of signing in has an account, with workspaces of its own. */
function elsewhere({ other_accounts = [] }: Me): string {
  if (other_accounts.length === 0) return "";
  const ways = other_accounts.map(({ provider }) => (provider === "password" ? "its password" : provider)).join(" or ");
  return `. Your address has another account, too: archway login again, and choose ${ways} there`;
}
