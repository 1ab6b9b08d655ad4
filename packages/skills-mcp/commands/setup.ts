// `setup CLIENT`: the entry of this server in a client's own settings.
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { writeChanges } from "../../command-line/machine/settings-file.ts";
import { ownCommand } from "../../command-line/own-command.ts";
import { safeUrl } from "../../sign-in/platform/http.ts";
import { openSession } from "../../sign-in/session.ts";
import { claudeCode } from "../clients/claude-code.ts";
import type { Client } from "../clients/client.ts";
import { codex } from "../clients/codex.ts";
import { gemini } from "../clients/gemini.ts";
import { opencode } from "../clients/opencode.ts";

const clients: Record<string, Client> = { "claude-code": claudeCode, codex, opencode, gemini };

export const setup: Command = async (machine, options, [client = ""]) => {
  const entry = Object.hasOwn(clients, client) ? clients[client] : undefined;
  if (!entry) throw new Failure("usage", `setup: name one of ${Object.keys(clients).join(", ")}`);
  const { profile } = openSession(machine, textOption(options, "profile"));
  const url = textOption(options, "url") ?? machine.env.ARCHWAY_URL;
  const print = options.print === true;
  const address = url && safeUrl(url);
  const args = [
    "serve",
    ...(options["read-only"] ? ["--read-only"] : []),
    ...(profile.name === "default" ? [] : ["--profile", profile.name]),
  ];
  const [command = "", ...rest] = ownCommand(machine, args).words;
  writeChanges(machine, [entry(machine, { command, args: rest })], print);
  if (print) return 0;
  if (address) profile.rememberUrl(address);
  if (profile.lastUrl() === undefined)
    machine.say("Say where the platform is: archway-skills login --url https://api.<domain>");
  else if (!profile.read())
    machine.say("Nobody is signed in: archway-skills login, or your assistant's first call leads you there.");
  return 0;
};
