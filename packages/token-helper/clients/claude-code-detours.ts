// What leads Claude Code past the platform though its settings name it: a variable that chooses another provider, or another base URL in settings
// that win over the person's own. Names and places are those of Claude Code 2.1.330 (code.claude.com/docs/en/settings, "Settings precedence").
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Machine } from "../../command-line/machine/machine.ts";
import { valueIn } from "../../command-line/machine/settings-file.ts";

/** A variable, and where it is set. */
export type Detour = { name: string; place: string };

/** Each chooses a provider beside Anthropic's API, whatever the base URL says. */
const otherProviders = [
  "BEDROCK",
  "VERTEX",
  "FOUNDRY",
  "MANTLE",
  "ANTHROPIC_AWS",
  "ANTHROPIC_GOOGLE_CLOUD",
  "GATEWAY",
].map((provider) => `CLAUDE_CODE_USE_${provider}`);

type Where = Pick<Machine, "env" | "home" | "platform" | "cwd" | "systemRoot">;

/** The person's own settings. */
export function ownSettings({ env, home }: Pick<Machine, "env" | "home">): string {
  return join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), "settings.json");
}

/** The file in which Claude Code notes that its first start is over, among other things. It may have variables as well. */
export function stateFile({ env, home }: Pick<Machine, "env" | "home">): string {
  return join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
}

/** @param address the base URL that leads to the platform @throws Failure for a settings file that is no JSON */
export function detours(machine: Where, address: string): Detour[] {
  const stronger = [...projectSettings(machine), ...managedSettings(machine)];
  // Weakest first: of the person's own settings and what is weaker the last place that names a variable decides, as in Claude Code 2.1.332.
  const own = [
    { place: "your shell", read: (name: string): unknown => machine.env[name] },
    ...[stateFile(machine), ownSettings(machine)].map((file) => ({
      place: file,
      read: (name: string) => valueIn(file, ["env", name]),
    })),
  ];
  const inOwn = otherProviders.flatMap((name) => {
    const decides = own.findLast(({ read }) => read(name) !== undefined);
    return decides && isOn(decides.read(name)) ? [{ name, place: decides.place }] : [];
  });
  const inStronger = stronger.flatMap((file) =>
    otherProviders.filter((name) => isOn(valueIn(file, ["env", name]))).map((name) => ({ name, place: file })),
  );
  const elsewhere = stronger.flatMap((file) => {
    const url = valueIn(file, ["env", "ANTHROPIC_BASE_URL"]);
    return url === undefined || url === address ? [] : [{ name: "ANTHROPIC_BASE_URL", place: file }];
  });
  return [...inOwn, ...inStronger, ...elsewhere];
}

export function detourAdvice({ name, place }: Detour): string {
  return `${name} is set in ${place}: claude does not call the platform, whatever its settings say. Take it out`;
}

/** As Claude Code reads a switch. */
function isOn(value: unknown): boolean {
  return ["1", "true", "yes", "on"].includes(
    String(value ?? "")
      .trim()
      .toLowerCase(),
  );
}

/** Settings of the folder and of those above it, up to the repository's. */
function projectSettings({ cwd, home }: Where): string[] {
  const files: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== home)
      for (const name of ["settings.json", "settings.local.json"]) files.push(join(folder, ".claude", name));
    if (folder === home || dirname(folder) === folder || existsSync(join(folder, ".git"))) return files;
  }
}

/** Settings of the machine's administrators, who have the last word. */
function managedSettings({ platform, systemRoot }: Where): string[] {
  const folder = join(systemRoot, managedFolders[platform] ?? "/etc/claude-code");
  const parts = join(folder, "managed-settings.d");
  const names = existsSync(parts) ? readdirSync(parts).filter((name) => name.endsWith(".json")) : [];
  return [join(folder, "managed-settings.json"), ...names.toSorted().map((name) => join(parts, name))];
}

const managedFolders: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
