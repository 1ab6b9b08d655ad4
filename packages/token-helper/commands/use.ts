// `archway use SLUG`: the profile's tokens name this workspace from now on.
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure, oneLine } from "../../command-line/failure.ts";
import { chooseWorkspace } from "../../sign-in/commands/workspaces.ts";
import { openSession } from "../../sign-in/session.ts";

export const use: Command = async (machine, options, [slug]) => {
  if (slug === undefined)
    throw new Failure("usage", "use: name a workspace by its address, as archway workspaces does");
  const { name, status, isNew } = await chooseWorkspace(openSession(machine, textOption(options, "profile")), slug);
  machine.say(oneLine(`Tokens are for ${name} (${slug}) from now on.`));
  if (status !== "active") machine.say(`It is ${status}: nobody calls models in it.`);
  if (isNew) machine.say("What archway setup wrote before names the other workspace: run it again for each client.");
  return 0;
};
