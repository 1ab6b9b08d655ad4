// `workspaces`: where one is, which of them the tokens name, and the choice of another one.

import { type Command, textOption } from "../../command-line/command.ts";
import { Failure, oneLine } from "../../command-line/failure.ts";
import { callerOf } from "../caller.ts";
import { invitationAdvice, isInvitation, sayInvitations } from "../invitations.ts";
import { openSession, type Session, useWorkspace } from "../session.ts";

export const workspaces: Command = async (machine, options) => {
  const { platform, me } = await callerOf(openSession(machine, textOption(options, "profile")));
  const all = me.memberships
    .filter(({ tenant_slug, status }) => tenant_slug !== undefined && status === "active")
    .map(({ tenant_id, tenant_slug: slug, tenant_name: name, tenant_role: role, tenant_status: status }) => {
      return { slug: slug ?? "", name, role, status, in_use: tenant_id === me.tenant_id };
    })
    .sort((one, other) => one.slug.localeCompare(other.slug));
  if (options.json) machine.out(`${JSON.stringify(all, null, 2)}\n`);
  else if (all.length === 0) machine.say(`You are in no workspace: create one in ${platform.consoleUrl}.`);
  for (const { slug, name = "", role = "", status = "active", in_use } of options.json ? [] : all) {
    const state = status === "active" ? "" : `, ${status}`;
    machine.out(`${in_use ? "*" : " "} ${oneLine(`${slug} ${name}, ${role}${state}`)}\n`);
  }
  sayInvitations(machine, me, platform.consoleUrl);
  return 0;
};

/**
 * The profile's tokens name this workspace from now on.
 * @param slug the workspace's address
 * @returns its name and status, and whether the tokens named another one before
 * @throws Failure.
 */
export async function chooseWorkspace(
  session: Session,
  slug: string,
): Promise<{ name: string; status: string; isNew: boolean }> {
  const { me, platform } = await callerOf(session);
  const found = me.memberships.filter(({ status }) => status === "active");
  const workspace = found.find(({ tenant_slug }) => tenant_slug === slug);
  if (!workspace) {
    const known = found.flatMap(({ tenant_slug }) => tenant_slug ?? []);
    const yours = known.length > 0 ? `; yours: ${known.join(", ")}` : "";
    const invited = me.memberships.filter((one) => isInvitation(one) && one.tenant_slug === slug);
    const advice = invitationAdvice({ memberships: invited }, platform.consoleUrl);
    throw new Failure("failed", advice || `you are in no workspace ${slug}${yours}`);
  }
  await useWorkspace(session, workspace.tenant_id);
  const { tenant_name: name = slug, tenant_status: status = "active" } = workspace;
  return { name, status, isNew: me.tenant_id !== workspace.tenant_id };
}
