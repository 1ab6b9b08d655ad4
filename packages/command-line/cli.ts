// The command line of a program: which command, with which options, and what a failure looks like.
import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import { type Described, type Options, textOption } from "./command.ts";
import { exitCodes, Failure, oneLine } from "./failure.ts";
import { homeFolder, profileName } from "./home.ts";
import type { Machine } from "./machine/machine.ts";

export type Cli = {
  commands: Record<string, Described>;
  /** The options that take no value. */
  flags: string[];
  help: string;
};

/** Written into a bundle. */
declare const ARCHWAY_VERSION: string | undefined;

export function programVersion(): string {
  return typeof ARCHWAY_VERSION === "string" ? ARCHWAY_VERSION : "from source";
}

/** Gives the exit code. Never throws. */
export async function runCli(cli: Cli, args: string[], machine: Machine): Promise<number> {
  const { commands, help } = cli;
  let { say } = machine;
  try {
    requireHome(machine);
    const [name = "", ...rest] = commandFirst(args);
    if (args.length === 0 || ["-h", "--help", "help"].includes(name)) return show(machine, help, args.length > 0);
    if (["-v", "--version"].includes(name)) return show(machine, `${programVersion()}\n`);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new Failure("usage", `there is no command ${name}: ${machine.program.name} --help`);
    const { values, positionals } = read({ ...cli, program: machine.program }, name, command, rest);
    if (values.help) return show(machine, help);
    say = advising(machine, textOption(values, "profile"));
    const work = await command.load();
    return await work({ ...machine, say }, values, positionals);
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure("failed", (error as Error).message);
    say(`${machine.program.name}: ${oneLine(failure.message)}`);
    return failure.exitCode;
  }
}

/** The profile may be named before the command as well. */
function commandFirst(args: string[]): string[] {
  const [first = "", second, ...rest] = args;
  if (/^(--profile|-p)=./.test(first) && second !== undefined) return [second, first, ...rest];
  const [command, ...others] = rest;
  if (!["--profile", "-p"].includes(first) || second === undefined || command === undefined) return args;
  return [command, first, second, ...others];
}

/** Commands in advice are for the profile that the person named: without it they would be for the default one. */
function advising({ say, program }: Machine, profile: string | undefined): Machine["say"] {
  if (profile === undefined || !profileName.test(profile)) return say;
  const commands = new RegExp(`\\b${program.name} (login|workspaces?|setup|use|logout)\\b`, "g");
  return (line) => say(line.replace(commands, `$& --profile ${profile}`));
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

function read(
  { flags, program }: Cli & Pick<Machine, "program">,
  name: string,
  { options, words = 0 }: Described,
  args: string[],
) {
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
    throw new Failure("usage", `${name}: ${first.replace(/\.$/, "")}. ${program.name} --help tells more`);
  }
}
