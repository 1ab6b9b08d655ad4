// The command `archway`: its commands, and its help.
import { runCli } from "../command-line/cli.ts";
import type { Described } from "../command-line/command.ts";
import { type Machine, thisMachine } from "../command-line/machine/machine.ts";
import { archway } from "./program.ts";

const commands: Record<string, Described> = {
  token: { load: async () => (await import("./commands/token.ts")).token, options: ["min-ttl", "client", "fresh"] },
  login: {
    load: async () => (await import("../sign-in/commands/login.ts")).login,
    options: ["url", "port", "no-browser", "switch"],
  },
  status: { load: async () => (await import("../sign-in/commands/status.ts")).status, options: ["json"] },
  usage: { load: async () => (await import("./commands/usage.ts")).usage, options: ["json"] },
  workspaces: { load: async () => (await import("../sign-in/commands/workspaces.ts")).workspaces, options: ["json"] },
  use: { load: async () => (await import("./commands/use.ts")).use, options: [], words: 1 },
  logout: { load: async () => (await import("./commands/logout.ts")).logout, options: ["everywhere"] },
  setup: {
    load: async () => (await import("./commands/setup.ts")).setup,
    options: ["print", "model", "small-model", "region", "shell", "no-call"],
    words: 1,
  },
  doctor: { load: async () => (await import("./commands/doctor.ts")).doctor, options: ["json", "no-call"] },
};

const flags = ["no-browser", "json", "print", "no-call", "fresh", "everywhere", "switch"];

const help = `archway: access to the models of an Archway workspace

  archway login --url URL        sign in; URL is the address of the platform's API
      --no-browser               in a browser elsewhere: paste its last address
      --switch                   as somebody else than the browser knows
      --port N                   come back at this one of the registered ports
  archway token                  print an access token, for a client's key helper
      --min-ttl SECONDS          that lasts at least so long
      --fresh                    a new one
      --client ID                a new one, if this client asks again within five minutes: it was refused
  archway status [--json]        who is signed in where, without asking the platform
  archway usage [--json]         what is left of the budget, and the models
  archway workspaces [--json]    where you are; * marks the one that tokens are for
  archway use SLUG               tokens of this profile are for that workspace from now on
  archway setup CLIENT           settings of claude-code, opencode, continue or env
      --print                    show them and change nothing
      --model, --small-model ID  other ones of the granted models
      --region REGION            where they run
      --shell SHELL              for env: sh, fish or powershell
      --no-call                  do not try them with a call
  archway doctor [--json]        what works and what does not: address, clock, token, grant, models, a call
  archway logout                 end the sign-in, here and at the platform
      --everywhere               and all others of yours, on every machine and in the console

  -p, --profile NAME             another sign-in beside the default one
  -h, --help   -v, --version

Environment: ARCHWAY_URL, ARCHWAY_PROFILE, ARCHWAY_HOME, ARCHWAY_STORE=file, BROWSER
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 sign-in needed, 4 platform not reachable
`;

/** Gives the exit code. Never throws. */
export function run(args: string[], machine: Machine = thisMachine(archway)): Promise<number> {
  return runCli({ commands, flags, help }, args, machine);
}
