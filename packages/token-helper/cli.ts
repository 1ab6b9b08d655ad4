// The command line: which command, with which options, and what a failure looks like.
import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import { homeFolder, profileName } from "./access-cache.ts";
import { type Command, type Options, textOf } from "./command.ts";
import { exitCodes, Failure, oneLine } from "./failure.ts";
import { type Machine, thisMachine } from "./machine/machine.ts";

/** Loaded when it is called: a key helper is called often. */
type Described = { load: () => Promise<Command>; options: string[]; words?: number };

const commands: Record<string, Described> = {
  token: { load: async () => (await import("./commands/token.ts")).token, options: ["min-ttl", "client", "fresh"] },
  login: {
    load: async () => (await import("./commands/login.ts")).login,
    options: ["url", "port", "no-browser", "switch"],
  },
  status: { load: async () => (await import("./commands/status.ts")).status, options: ["json"] },
  usage: { load: async () => (await import("./commands/usage.ts")).usage, options: ["json"] },
  workspaces: { load: async () => (await import("./commands/workspaces.ts")).workspaces, options: ["json"] },
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

declare const ARCHWAY_VERSION: string | undefined;

/** Gives the exit code. Never throws. */
export async function run(args: string[], machine: Machine = thisMachine()): Promise<number> {
  let { say } = machine;
  try {
    requireHome(machine);
    const [name = "", ...rest] = args;
    if (args.length === 0 || ["-h", "--help", "help"].includes(name)) return show(machine, help, args.length > 0);
    if (["-v", "--version"].includes(name))
      return show(machine, `${typeof ARCHWAY_VERSION === "string" ? ARCHWAY_VERSION : "from source"}\n`);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new Failure("usage", `there is no command ${name}: archway --help`);
    const { values, positionals } = read(name, command, rest);
    if (values.help) return show(machine, help);
    say = advising(machine.say, textOf(values, "profile"));
    const work = await command.load();
    return await work({ ...machine, say }, values, positionals);
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure("failed", (error as Error).message);
    say(`archway: ${oneLine(failure.message)}`);
    return failure.exitCode;
  }
}

/** Commands in advice are for the profile that the person named: without it they would be for the default one. */
function advising(say: Machine["say"], profile: string | undefined): Machine["say"] {
  if (profile === undefined || !profileName.test(profile)) return say;
  return (line) => say(line.replace(/\barchway (login|workspaces|setup|use|logout)\b/g, `$& --profile ${profile}`));
}

/** Refuses a home that is no absolute path: files below the folder in which a command happens to be started are not found again. */
function requireHome(machine: Machine): void {
  const set = (name: string) =>
    machine.env[name] === undefined ? `no home is known` : `${name} is "${machine.env[name]}"`;
  const home = machine.platform === "win32" ? "USERPROFILE" : "HOME";
  if (!isAbsolute(machine.home)) throw new Failure("usage", `${set(home)}: ${home} must be an absolute path`);
  if (isAbsolute(homeFolder(machine))) return;
  const name = ["ARCHWAY_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA"].find((each) => machine.env[each]) ?? home;
  throw new Failure("usage", `${set(name)}: it must be an absolute path`);
}

function show({ out, say }: Machine, text: string, asked = true): number {
  if (asked) out(text);
  else say(text);
  return asked ? 0 : exitCodes.usage;
}

function read(name: string, { options, words = 0 }: Described, args: string[]) {
  const known = Object.fromEntries(
    options.map((option) => [option, { type: flags.includes(option) ? "boolean" : "string" } as const]),
  );
  try {
    const parsed = parseArgs({
      args,
      options: { ...known, profile: { type: "string", short: "p" }, help: { type: "boolean", short: "h" } },
      allowPositionals: words > 0,
    });
    if (parsed.positionals.length > words) throw new Error(`too many words`);
    return { values: parsed.values as Options, positionals: parsed.positionals };
  } catch (error) {
    const [first = ""] = (error as Error).message.split(". ");
    throw new Failure("usage", `${name}: ${first.replace(/\.$/, "")}. archway --help tells more`);
  }
}
