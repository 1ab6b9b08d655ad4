// `login`: a person signs in; with --read-only for using skills alone.
import type { Command } from "../../command-line/command.ts";
import { logIn } from "../../sign-in/commands/login.ts";
import { usesSkillsOnly } from "../read-only.ts";

export const login: Command = (machine, options) =>
  logIn(machine, options, options["read-only"] ? usesSkillsOnly : undefined);
