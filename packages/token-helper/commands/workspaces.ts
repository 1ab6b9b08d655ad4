// `archway workspaces`: where one is, and which of them the tokens name.
import { callerOf } from "../caller.ts";
import { type Command, textOf } from "../command.ts";
import { oneLine } from "../failure.ts";
import { openSession } from "../session.ts";

export const workspaces: Command = async (machine, options) => {
  const { platform, me } = await callerOf(openSession(machine, textOf(options, "profile")));
  const all = me.memberships
    .filter(({ tenant_slug, status }) => tenant_slug !== undefined && status !== "removed")
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
  return 0;
};
