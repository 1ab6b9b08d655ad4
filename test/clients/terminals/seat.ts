// Where a person sits: an empty home with one assistant, set up by `archway` or given a key.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Person } from "../../../local/running-stack.ts";
import { Helper } from "../../support/token-helper/token-helper.ts";
import type { Account } from "../accounts.ts";
import type { Way } from "../cell.ts";
import type { Command } from "../child.ts";
import type { Opened } from "../headless.ts";
import { readableFiles, secretOfTheFile } from "../scenarios.ts";
import { type AssistantName, assistants } from "./assistants.ts";
import type { terminals } from "./terminal.ts";

export type Seat = {
  way: Way;
  home: string;
  /** The project. */
  folder: string;
  env: Record<string, string>;
  /** The text that `archway setup` wrote. */
  said: string;
  command(args?: string[]): Command;
  /** Changes the settings of the assistant, wherever they stand. */
  rewrite(from: string | RegExp, to: string): void;
  /** As if the token had been got so long ago. */
  age(milliseconds: number): void;
  remove(): void;
};

/** A stack, and what a person needs to sit down before it. */
export type Desk = Opened & { newHelper(): Promise<Helper>; open: ReturnType<typeof terminals> };

export async function desk(opened: Opened, open: Desk["open"]): Promise<Desk> {
  return { ...opened, open, newHelper: await Helper.build(opened.stack.at("api")) };
}

/** The files that setup, or a person with a key, writes. */
const settingsFiles = [
  ".claude/settings.json",
  ".config/opencode/opencode.json",
  ".continue/config.yaml",
  ".continue/.env",
];

/** @throws Error with the words of `archway`. */
export async function signedIn(
  { newHelper }: Pick<Desk, "newHelper">,
  name: AssistantName,
  person: Person,
  args: string[] = [],
) {
  const helper = await newHelper();
  for (const command of [["login"], ["setup", assistants[name].setupName, ...args]]) {
    const { code, out, err } = await helper.run(command, { env: helper.browserOf(person) });
    if (code !== 0) throw new Error(`archway ${command.join(" ")} ended with ${code}: ${err}`);
    if (command[0] === "setup") return seatOf(name, helper, "setup", `${out}${err}`);
  }
  throw new Error("unreachable");
}

export async function withKey({ stack, newHelper }: Desk, name: AssistantName, account: Account): Promise<Seat> {
  const helper = await newHelper();
  const { slug, credential, headers } = account;
  const base = `${stack.edge}/@${slug}.proxy/vendor`;
  const env: Record<string, string> = {};
  const model = "claude-sonnet-5-5";
  if (name === "opencode") {
    const options = { baseURL: `${base}/v1`, apiKey: credential, headers };
    const provider = { anthropic: { options, models: { [model]: { name: "Sonnet" } } } };
    write(helper.home, ".config/opencode/opencode.json", { model: `anthropic/${model}`, provider });
  } else if (name === "continue") {
    const shared = { provider: "anthropic", apiBase: `${base}/v1/`, apiKey: credential, model, roles: ["chat"] };
    const models = [{ name: "Claude", ...shared, requestOptions: { headers } }];
    write(helper.home, ".continue/config.yaml", { name: "Local", version: "0.0.1", schema: "v1", models });
    write(helper.home, ".continue/.onboarding_complete", {});
  } else {
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
    Object.assign(env, { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: credential, ANTHROPIC_MODEL: model });
    if (lines.length > 0) env.ANTHROPIC_CUSTOM_HEADERS = lines.join("\n");
    // At a first start Claude Code asks whether the vendor's own address can be reached.
    write(helper.home, ".claude.json", { hasCompletedOnboarding: true });
  }
  return seatOf(name, helper, "key", "", env);
}

function write(home: string, name: string, content: object): void {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(content));
}

function seatOf(name: AssistantName, helper: Helper, way: Way, said: string, given: Record<string, string> = {}): Seat {
  const folder = join(helper.home, "work");
  mkdirSync(folder);
  for (const file of readableFiles) writeFileSync(join(folder, file), `${secretOfTheFile}\n`);
  const env: Record<string, string> = {
    ...given,
    HOME: helper.home,
    ...helper.environment,
    // opencode asks for the list of all vendors' models at each start, and waits for its answer.
    ...(name === "opencode" && { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" }),
    ...(name === "continue" && { CONTINUE_TELEMETRY_ENABLED: "0" }),
  };
  return {
    way,
    home: helper.home,
    folder,
    env,
    said,
    command: (args = []) => {
      const { file, args: before } = assistants[name].program();
      return { file, args: [...before, ...args], env, cwd: folder };
    },
    rewrite: (from, to) => {
      for (const [key, value] of Object.entries(env)) if (key !== "HOME") env[key] = value.replaceAll(from, to);
      for (const each of settingsFiles) {
        const file = join(helper.home, each);
        if (existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").replaceAll(from, to));
      }
    },
    age: (milliseconds) => {
      const { obtained_at, ...access } = helper.access();
      const aged = { ...access, obtained_at: obtained_at - milliseconds };
      writeFileSync(helper.file("access.json"), JSON.stringify(aged));
    },
    remove: () => helper.remove(),
  };
}
