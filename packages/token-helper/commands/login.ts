// `archway login`: a person signs in, in this machine's browser or in another one.
import { type Command, type Options, textOf, wholeNumber } from "../command.ts";
import { Failure } from "../failure.ts";
import { safeUrl } from "../platform/http.ts";
import { openSession, signInAt } from "../session.ts";
import { requireDisplay } from "../sign-in.ts";

/** The command as it was typed, for a hint that completes it. */
function lineOf(options: Options): string {
  return options["no-browser"] ? "archway login --no-browser" : "archway login";
}

export const login: Command = async (machine, options) => {
  const session = openSession(machine, textOf(options, "profile"));
  const { profile, credentials } = session;
  const url = textOf(options, "url") ?? machine.env.ARCHWAY_URL ?? profile.lastUrl();
  if (!url) throw new Failure("usage", `say where: ${lineOf(options)} --url https://api.<domain>, your platform's API`);
  const [address, port] = [safeUrl(url), wholeNumber(options, "port", 65_535)];
  const browser = !options["no-browser"];
  profile.rememberUrl(address);
  if (browser) requireDisplay(machine);
  // Nobody's turn is waited for: a key helper may stand for minutes before a browser that nobody looks at.
  await signInAt(session, address, { browser, port, asksAgain: options.switch === true });
  const description = profile.read();
  if (!description) throw new Failure("failed", `${profile.file("profile.json")} is not what was written`);
  machine.say(`Signed in${description.email ? ` as ${description.email}` : ""} at ${description.url}.`);
  machine.say(`The refresh token is in ${credentials.describe(description.store)}.`);
  return 0;
};
