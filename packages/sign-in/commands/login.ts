// `login`: a person signs in, in this machine's browser or in another one.
import { type Command, type Options, textOption, wholeNumber } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import { safeUrl } from "../platform/http.ts";
import { openSession, signInAt } from "../session.ts";
import { requireDisplay, type Way } from "../sign-in.ts";

/** The command as it was typed, for a hint that completes it. */
function lineOf({ program: { name } }: Machine, options: Options): string {
  return options["no-browser"] ? `${name} login --no-browser` : `${name} login`;
}

/** @param scopes which of the client's scopes are asked for */
export async function logIn(machine: Machine, options: Options, scopes?: Way["scopes"]): Promise<number> {
  const session = openSession(machine, textOption(options, "profile"));
  const { profile, credentials } = session;
  const url = textOption(options, "url") ?? machine.env.ARCHWAY_URL ?? profile.lastUrl();
  if (!url)
    throw new Failure(
      "usage",
      `say where: ${lineOf(machine, options)} --url https://api.<domain>, your platform's API`,
    );
  const [address, port] = [safeUrl(url), wholeNumber(options, "port", 65_535)];
  const browser = !options["no-browser"];
  profile.rememberUrl(address);
  if (browser) requireDisplay(machine);
  // A sign-in does not wait for another one's lock: a key helper may stand for minutes before a browser that nobody looks at.
  await signInAt(session, address, { browser, port, asksAgain: options.switch === true, ...(scopes && { scopes }) });
  const description = profile.read();
  if (!description) throw new Failure("failed", `${profile.file("profile.json")} is not what was written`);
  machine.say(`Signed in${description.email ? ` as ${description.email}` : ""} at ${description.url}.`);
  machine.say(`The refresh token is in ${credentials.describe(description.store)}.`);
  return 0;
}

export const login: Command = (machine, options) => logIn(machine, options);
