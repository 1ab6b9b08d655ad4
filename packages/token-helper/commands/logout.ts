// `archway logout`: ends the sign-in at the platform, and leaves nothing of it here.
import { type Command, textOf } from "../command.ts";
import { Failure } from "../failure.ts";
import { openSession, signOut } from "../session.ts";

export const logout: Command = async (machine, options) => {
  const session = openSession(machine, textOf(options, "profile"));
  const known = session.profile.read() !== undefined;
  const minutes = Math.ceil(((session.credentials.access()?.expires_at ?? 0) - machine.now()) / 60_000);
  const problem = await signOut(session);
  if (problem)
    throw new Failure(
      "unreachable",
      `signed out here, and not at the platform (${problem.message}): the refresh token ends there by itself`,
    );
  machine.say(known ? "Signed out." : "Nobody was signed in.");
  if (known && minutes > 0)
    machine.say(
      `The last token calls models for ${minutes} more minutes, wherever a client holds it. It changes nothing.`,
    );
  if (known) machine.say("API keys that setup has made stay good until the console revokes them.");
  return 0;
};
