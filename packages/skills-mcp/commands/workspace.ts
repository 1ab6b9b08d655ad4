// `workspace [SLUG]`: where one is, and the choice of the workspace whose skills are served.
import { type Command, textOption } from "../../command-line/command.ts";
import { oneLine } from "../../command-line/failure.ts";
import { chooseWorkspace, workspaces } from "../../sign-in/commands/workspaces.ts";
import { openSession } from "../../sign-in/session.ts";

export const workspace: Command = async (machine, options, [slug]) => {
  if (slug === undefined) return workspaces(machine, options, []);
  const { name } = await chooseWorkspace(openSession(machine, textOption(options, "profile")), slug);
  machine.say(
    oneLine(`Skills are those of ${name} (${slug}) from now on; a server that runs follows within a minute.`),
  );
  return 0;
};
