// `secret set NAME`: a person types a secret's value at a terminal; it is no argument, and is not shown.
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { openSession } from "../../sign-in/session.ts";
import { SkillsApi } from "../api/skills-api.ts";
import { checkedValue } from "../pages/secret-page.ts";
import { askHidden, requireTerminal } from "./terminal.ts";

export const secret: Command = async (machine, options, [verb, name]) => {
  if (verb !== "set" || name === undefined) throw new Failure("usage", "secret: say secret set NAME");
  requireTerminal(machine, "a secret's value");
  const api = new SkillsApi(openSession(machine, textOption(options, "profile")), true);
  // This read asks a person to sign in, if necessary, before the value is asked for.
  const before = (await api.secrets()).find((each) => each.name === name);
  const replaces = before ? `, which replaces the one that ${before.used_by.join(", ") || "no skill"} uses` : "";
  const value = await askHidden(machine, `Type the value of ${name}${replaces}; it is not shown:`);
  await api.putSecret(name, checkedValue(value), textOption(options, "description"));
  machine.say(`${name} is stored.`);
  return 0;
};
