// `logout`: ends the sign-in at the platform and leaves nothing of it here.
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { openSession, signOut } from "../../sign-in/session.ts";

export const logout: Command = async (machine, options) => {
  const session = openSession(machine, textOption(options, "profile"));
  const description = session.profile.read();
  const problem = await signOut(session);
  if (!problem) {
    machine.say(description ? "Signed out." : "Nobody was signed in.");
    return 0;
  }
  throw new Failure(
    "unreachable",
    `signed out here, and not at the platform (${problem.message}): the refresh token ends there 30 days after the sign-in`,
  );
};
