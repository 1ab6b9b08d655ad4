// `archway token`: prints the access token, and nothing else on its output.
import { type Command, textOf, wholeNumber } from "../command.ts";
import { accessToken, openSession } from "../session.ts";

const aDay = 86_400;

export const token: Command = async (machine, options) => {
  const session = openSession(machine, textOf(options, "profile"));
  machine.out(`${await accessToken(session, wholeNumber(options, "min-ttl", aDay))}\n`);
  return 0;
};
