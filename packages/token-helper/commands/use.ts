// `archway use SLUG`: the profile's tokens name this workspace from now on.
import { callerOf } from "../caller.ts";
import { type Command, textOf } from "../command.ts";
import { Failure, oneLine } from "../failure.ts";
import { openSession, useWorkspace } from "../session.ts";

export const use: Command = async (machine, options, [slug]) => {
  if (slug === undefined)
    throw new Failure("usage", "use: name a workspace by its address, as archway workspaces does");
  const session = openSession(machine, textOf(options, "profile"));
  const { me } = await callerOf(session);
  const found = me.memberships.filter(({ status }) => status !== "removed");
  const workspace = found.find(({ tenant_slug }) => tenant_slug === slug);
  if (!workspace) {
    const known = found.flatMap(({ tenant_slug }) => tenant_slug ?? []);
    throw new Failure("failed", `you are in no workspace ${slug}${known.length > 0 ? `: ${known.join(", ")}` : ""}`);
  }
  await useWorkspace(session, workspace.tenant_id);
  machine.say(oneLine(`Tokens are for ${workspace.tenant_name ?? slug} (${slug}) from now on.`));
  if (me.tenant_id !== workspace.tenant_id)
    machine.say("What archway setup wrote before names the other workspace: run it again for each client.");
  return 0;
};
