// `archway login`: a person signs in, in this machine's browser or in another one.
import { type Command, textOf, wholeNumber } from "../command.ts";
import { Failure } from "../failure.ts";
import { safeUrl } from "../http.ts";
import { openSession, signInAt } from "../session.ts";
import { requireDisplay } from "../sign-in.ts";

export const login: Command = async (machine, options) => {
  const session = openSession(machine, textOf(options, "profile"));
  const { profile, credentials } = session;
  const url = textOf(options, "url") ?? machine.env.ARCHWAY_URL ?? profile.read()?.url;
  if (!url) throw new Failure("usage", "--url is needed: the address of the platform's API, https://api.<domain>");
  const [address, port] = [safeUrl(url), wholeNumber(options, "port", 65_535)];
  const browser = !options["no-browser"];
  if (browser) requireDisplay(machine);
  // Nobody's turn is waited for: a key helper may stand for minutes before a browser that nobody looks at.
  await signInAt(session, address, { browser, port });
  const description = profile.read();
  if (!description) throw new Failure("failed", `${profile.file("profile.json")} is not what was written`);
  machine.say(`Signed in${description.email ? ` as ${description.email}` : ""} at ${description.url}.`);
  machine.say(`The refresh token is in ${credentials.describe(description.store)}.`);
  return 0;
};
