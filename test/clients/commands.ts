// How each client is started: its program, its settings and its words for what a step asks.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "./child.ts";
import { type ClientName, type Scenario, type Step, subagentName } from "./scenarios.ts";

/** What a run has: an address, a credential, a home and a folder of its own. */
export type Place = {
  /** Ends in `/vendor`. */
  baseUrl: string;
  credential: string;
  headers: Record<string, string>;
  home: string;
  /** Where the client works; the file that a tool reads lies there. */
  folder: string;
  /** The conversation of the step before, if the client has told it. */
  sessionId: string | undefined;
};

type Client = {
  /** The package's folder name in node_modules. */
  packageName: string;
  command(step: Step, place: Place, scenario: Scenario): Command;
  /** The conversation's id, in what the client wrote. */
  sessionId?: RegExp;
};

const here = dirname(fileURLToPath(import.meta.url));
/** `npm run clients:newest` plays packages of another folder. */
export const modules = process.env.ARCHWAY_CLIENT_MODULES ?? join(here, "node_modules");
const platform = `${process.platform}-${process.arch}`;
/** So that no alias is needed to be granted: what a client takes where a step names no model. */
const model = "claude-sonnet-5-5";

const subagent = { description: "Thinks about arches", prompt: "You think about arches." };
const subagents = { [subagentName]: subagent };

export const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
};

export const clients: Record<ClientName, Client> = {
  "claude-code": claudeCode("claude-code"),
  "claude-code-2.1.197": claudeCode("claude-code-2.1.197"),
  "agent-sdk": {
    packageName: "@anthropic-ai/claude-agent-sdk",
    command: (step, place) => program("agent-sdk.ts", step, place, claudeEnvironment(step, place)),
    sessionId: /"session_id":"([\w-]+)"/,
  },
  opencode: {
    packageName: "opencode-ai",
    command: openCode,
    sessionId: /"sessionID":"(\w+)"/,
  },
  continue: { packageName: "@continuedev/cli", command: continueCli },
  sdk: {
    packageName: "@anthropic-ai/sdk",
    command: (step, place) =>
      program("sdk.ts", step, place, { ANTHROPIC_BASE_URL: place.baseUrl, ANTHROPIC_API_KEY: place.credential }),
  },
};

/** `2.1.330`, as it is installed. */
export function installedVersion(name: ClientName): string {
  return JSON.parse(readFileSync(join(modules, clients[name].packageName, "package.json"), "utf8")).version;
}

function claudeCode(packageName: string): Client {
  return {
    packageName,
    sessionId: /"session_id":"([\w-]+)"/,
    command: (step, place, { by }) => {
      const asked = [
        "-p",
        step.prompt,
        "--output-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
      ];
      if (step.session === "continue") asked.push("--continue");
      if (step.session === "resume" && place.sessionId) asked.push("--resume", place.sessionId);
      if (step.model) asked.push("--model", step.model);
      asked.push("--agents", JSON.stringify(subagents));
      if (step.schema) asked.push("--json-schema", JSON.stringify(step.schema));
      const env: Record<string, string> = claudeEnvironment(step, place);
      if (by === "apiKeyHelper") {
        const file = join(place.home, "token");
        writeFileSync(file, place.credential, { mode: 0o600 });
        asked.push("--settings", JSON.stringify({ apiKeyHelper: `cat ${file}` }));
        delete env.ANTHROPIC_API_KEY;
      }
      return { file: nativeBinary(packageName), args: asked, env, cwd: place.folder };
    },
  };
}

/** The program of the platform's package: no install script has linked it to the place where npm would start it. */
export function nativeBinary(packageName: string): string {
  const from = createRequire(join(modules, packageName, "package.json"));
  for (const libc of ["", "-musl"]) {
    try {
      return join(dirname(from.resolve(`@anthropic-ai/claude-code-${platform}${libc}/package.json`)), "claude");
    } catch {
      // The other C library, or none.
    }
  }
  throw new Error(`${packageName} has no program for ${platform}`);
}

function claudeEnvironment(step: Step, { baseUrl, credential, headers, home }: Place) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    ...quiet,
    HOME: home,
    // As root it lets no tool run without being asked, unless it is told that it is in a sandbox.
    IS_SANDBOX: "1",
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: credential,
    ...(lines.length > 0 && { ANTHROPIC_CUSTOM_HEADERS: lines.join("\n") }),
    ...(step.thinking === "enabled" && { MAX_THINKING_TOKENS: "31999", CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING: "1" }),
    ...(step.thinking === "none" && { MAX_THINKING_TOKENS: "0" }),
    ...(step.cacheForAnHour && { ENABLE_PROMPT_CACHING_1H: "1" }),
  };
}

/** A client that is a library runs in a program of ours, which gets the step as its one argument. */
function program(file: string, step: Step, place: Place, env: Record<string, string>): Command {
  const { headers, sessionId, home, folder } = place;
  const task = JSON.stringify({ ...step, headers, sessionId, subagents });
  return {
    file: process.execPath,
    args: [join(here, "programs", file), task],
    env: { HOME: home, ...env },
    cwd: folder,
  };
}

function openCode(step: Step, { baseUrl, credential, headers, home, folder, sessionId }: Place): Command {
  const options = { baseURL: `${baseUrl}/v1`, apiKey: credential, headers };
  const config = {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    provider: { anthropic: { options, models: { [model]: { name: "Sonnet" } } } },
    agent: { [subagentName]: { mode: "subagent", ...subagent } },
    permission: { edit: "allow", bash: "allow", webfetch: "deny" },
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
  const asked = ["run", step.prompt, "--model", `anthropic/${step.model ?? model}`, "--format", "json", "--print-logs"];
  if (step.session === "continue") asked.push("--continue");
  if (step.session === "resume" && sessionId) asked.push("--session", sessionId);
  const env = {
    HOME: home,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    ANTHROPIC_API_KEY: credential,
  };
  return { file: openCodeBinary(), args: asked, env, cwd: folder };
}

export function openCodeBinary(): string {
  const suffixes = ["", "-baseline", "-musl", "-baseline-musl"];
  const files = suffixes.map((suffix) => join(modules, `opencode-${platform}${suffix}`, "bin", "opencode"));
  const file = files.find((each) => existsSync(each));
  if (!file) throw new Error(`opencode-ai has no program for ${platform}`);
  return file;
}

function continueCli(step: Step, { baseUrl, credential, headers, home, folder }: Place): Command {
  // JSON is YAML too.
  const config = {
    name: "archway",
    version: "0.0.1",
    schema: "v1",
    models: [
      {
        name: "Claude",
        provider: "anthropic",
        model: step.model ?? model,
        apiBase: `${baseUrl}/v1/`,
        apiKey: credential,
        roles: ["chat"],
        capabilities: ["tool_use"],
        requestOptions: { headers },
      },
    ],
  };
  const file = join(home, "config.yaml");
  mkdirSync(home, { recursive: true });
  writeFileSync(file, JSON.stringify(config));
  const asked = [join(modules, "@continuedev/cli", "dist", "cn.js"), "-p", step.prompt, "--config", file, "--auto"];
  // It has one way to go on: with the last conversation.
  if (step.session) asked.push("--resume");
  const env = { HOME: home, CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: "0" };
  return { file: process.execPath, args: asked, env, cwd: folder };
}
