// `archway logout`: ends the sign-in at the platform, or all of the person's, leaves nothing of it here, and says what lives on.
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { openSession, signOut } from "../../sign-in/session.ts";
import { signOutEverywhere } from "../models.ts";
import { withWriteAccess } from "../write-access.ts";

export const logout: Command = async (machine, options) => {
  const session = openSession(machine, textOption(options, "profile"));
  const description = session.profile.read();
  const minutes = Math.ceil(((session.credentials.access()?.expires_at ?? 0) - machine.now()) / 60_000);
  const everywhere = options.everywhere === true;
  if (everywhere) await withWriteAccess(session, "signing out everywhere", signOutEverywhere);
  const problem = await signOut(session);
  if (everywhere)
    machine.say("Every sign-in of yours has ended. Tokens that clients hold are refused within a minute.");
  else if (!problem) machine.say(description ? "Signed out." : "Nobody was signed in.");
  if (description && minutes > 0 && !everywhere)
    machine.say(
      `The last token calls models for ${minutes} more minutes, wherever a client holds it. It changes nothing.`,
    );
  if (description) {
    machine.say(`A browser is signed in at ${new URL(description.discovery.auth_url).host} for up to an hour.`);
    machine.say("API keys that setup has made stay good until the console revokes them.");
  }
  if (!problem) return 0;
  throw new Failure(
    "unreachable",
    `signed out here, and not at the platform (${problem.message}): the refresh token ends there 30 days after the sign-in`,
  );
};
