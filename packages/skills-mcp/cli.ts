// The command `archway-skills`: its commands, and its help.
import { runCli } from "../command-line/cli.ts";
import type { Described } from "../command-line/command.ts";
import { type Machine, thisMachine } from "../command-line/machine/machine.ts";
import { archwaySkills } from "./program.ts";

const commands: Record<string, Described> = {
  serve: { load: async () => (await import("./commands/serve.ts")).serve, options: ["read-only"] },
  login: {
    load: async () => (await import("./commands/login.ts")).login,
    options: ["url", "port", "no-browser", "switch", "read-only"],
  },
  status: { load: async () => (await import("../sign-in/commands/status.ts")).status, options: ["json"] },
  logout: { load: async () => (await import("./commands/logout.ts")).logout, options: [] },
  workspace: { load: async () => (await import("./commands/workspace.ts")).workspace, options: ["json"], words: 1 },
  check: { load: async () => (await import("./commands/check.ts")).check, options: ["json"], words: 1 },
  upload: { load: async () => (await import("./commands/upload.ts")).upload, options: ["change"], words: 1 },
  activate: { load: async () => (await import("./commands/activate.ts")).activate, options: [], words: 2 },
  secret: { load: async () => (await import("./commands/secret.ts")).secret, options: ["description"], words: 2 },
  setup: {
    load: async () => (await import("./commands/setup.ts")).setup,
    options: ["print", "read-only", "url"],
    words: 1,
  },
};

const flags = ["no-browser", "json", "print", "read-only", "switch"];

const help = `archway-skills: the skills of an Archway workspace, for coding assistants

  archway-skills setup CLIENT          entry of this server for claude-code, codex, opencode or gemini
      --url URL                        the address of the platform's API, unless a login has told it
      --print                          show it and change nothing
      --read-only                      skills are only read and used
  archway-skills login --url URL       sign in; URL is the address of the platform's API
      --read-only                      ask for the right to use skills alone
      --no-browser                     in a browser elsewhere: paste its last address
      --switch                         as somebody else than the browser knows
      --port N                         come back at this one of the registered ports
  archway-skills status [--json]       who is signed in where, without asking the platform
  archway-skills workspace [SLUG]      where you are; with a name, skills are that workspace's from now on
  archway-skills check DIR [--json]    whether a folder is a skill that the platform takes; needs no sign-in
  archway-skills upload DIR            a new skill, or its next version
      --change TEXT                    what is new in it
  archway-skills activate NAME [N]     review a version and activate it, at a terminal
  archway-skills secret set NAME       type a secret's value, at a terminal
      --description TEXT               what it is for
  archway-skills serve [--read-only]   the MCP server, as clients start it
  archway-skills logout                end the sign-in, here and at the platform

  -p, --profile NAME                   another sign-in beside the default one
  -h, --help   -v, --version

Environment: ARCHWAY_URL, ARCHWAY_PROFILE, ARCHWAY_HOME (its folder ends in -skills), ARCHWAY_STORE=file, BROWSER
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 sign-in needed, 4 platform not reachable
`;

/** Gives the exit code. Never throws. */
export function run(args: string[], machine: Machine = thisMachine(archwaySkills)): Promise<number> {
  return runCli({ commands, flags, help }, args, machine);
}
