// `archway token`: prints the access token, and nothing else on its output.
import { type Command, textOption, wholeNumber } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { clientName } from "../../sign-in/given.ts";
import { accessToken, openSession } from "../../sign-in/session.ts";

const aDay = 86_400;

export const token: Command = async (machine, options) => {
  const session = openSession(machine, textOption(options, "profile"));
  const client = textOption(options, "client");
  if (client !== undefined && !clientName.test(client))
    throw new Failure("usage", "--client: must be 1 to 64 letters, digits, - and _, e.g. the client's process id");
  const wanted = { minTtlSeconds: wholeNumber(options, "min-ttl", aDay), client, fresh: options.fresh === true };
  machine.out(`${await accessToken(session, wanted)}\n`);
  return 0;
};
