// `archway doctor`: what works, and of what does not the first thing, with what to do about it.

import { type Command, textOption } from "../../command-line/command.ts";
import { exitCodes, oneLine } from "../../command-line/failure.ts";
import { openSession } from "../../sign-in/session.ts";
import { type Check, checks } from "../checks.ts";

export const doctor: Command = async (machine, options) => {
  const session = openSession(machine, textOption(options, "profile"));
  const done: Check[] = [];
  for await (const check of checks(session, { call: !options["no-call"] })) {
    done.push(check);
    if (!options.json) machine.out(`${checkLine(check)}\n`);
  }
  if (options.json) machine.out(`${JSON.stringify(done, null, 2)}\n`);
  return done.every(({ ok }) => ok) ? 0 : exitCodes.failed;
};

export function checkLine({ check, ok, detail }: Check): string {
  return `${ok ? "ok  " : "FAIL"} ${check.padEnd(8)} ${oneLine(detail)}`;
}
