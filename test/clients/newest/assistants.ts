// The newest assistants: each is asked in its own way without a terminal, in an empty home.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "../child.ts";
import type { NewestClient, Place } from "./client.ts";
import { quiet } from "./libraries.ts";
import type { Registry } from "./registries.ts";
import type { Task } from "./scenarios.ts";

type Step = { prompt: string; continues: boolean; thinks: boolean; picture?: string };
/** Undefined if the assistant has no such feature. */
type Start = (step: Step, place: Place) => Command | undefined;

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const first: Step = { prompt: "What is an arch?", continues: false, thinks: false };

const usesTool = { ...first, prompt: "Use the tool Read, or read, or read_file, or read_files, or view, once." };

const stepsOf: Record<Task, (folder: string) => Step[]> = {
  // An assistant streams.
  answer: () => [],
  stream: () => [first],
  tools: () => [usesTool],
  thinking: () => [{ ...first, thinks: true }],
  image: (folder) => [{ ...first, picture: join(folder, "pixel.png") }],
  // The second request reads what the first one wrote.
  cache: () => [usesTool],
  conversation: () =>
    ["first", "second", "third"].map((which, at) => ({
      ...first,
      prompt: `What is the ${which} arch?`,
      continues: at > 0,
    })),
};

function assistant(name: string, registry: Registry, packages: string[], start: Start): NewestClient {
  return {
    name,
    registry,
    packages,
    steps: ({ task, place }) => {
      writeFileSync(join(place.folder, "pixel.png"), Buffer.from(pixel, "base64"));
      const commands = stepsOf[task](place.folder).map((step) => start(step, place));
      return commands.length > 0 && commands.every((each) => each !== undefined) ? commands : undefined;
    },
  };
}

const npmProgram = ({ modules }: Place, name: string) => join(modules, "node_modules", ".bin", name);
const pythonProgram = ({ modules }: Place, name: string) => join(modules, "environment", "bin", name);
/** With the Node of this process, since the programs of npm ask for `node`. */
const path = () => `${dirname(process.execPath)}:${process.env.PATH}`;
const started = ({ home, folder }: Place, file: string, args: string[], env: Record<string, string> = {}): Command => ({
  file,
  args,
  env: { HOME: home, ...quiet, PATH: path(), ...env },
  cwd: folder,
});

function written(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true });
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(content));
}

const claudeCode: Start = (step, place) => {
  if (step.picture) return undefined;
  const { baseUrl, credential, model, modules } = place;
  const file = join(
    modules,
    "node_modules",
    "@anthropic-ai",
    `claude-code-${process.platform}-${process.arch}`,
    "claude",
  );
  const args = ["-p", step.prompt, "--model", model, "--output-format", "stream-json", "--verbose"];
  args.push("--dangerously-skip-permissions", ...(step.continues ? ["--continue"] : []));
  return started(place, file, args, {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: credential,
    DISABLE_AUTOUPDATER: "1",
  });
};

const openCode: Start = ({ prompt, continues, picture, thinks }, place) => {
  if (thinks) return undefined;
  const { baseUrl, credential, model, modules, folder } = place;
  const anthropic = {
    options: { baseURL: `${baseUrl}/v1`, apiKey: credential },
    models: { [model]: { name: "Claude" } },
  };
  const modalities = { attachment: true, modalities: { input: ["text", "image"], output: ["text"] } };
  Object.assign(anthropic.models[model] as object, modalities);
  written(join(folder, "opencode.json"), { autoupdate: false, share: "disabled", provider: { anthropic } });
  const args = ["run", prompt, "--model", `anthropic/${model}`, "--format", "json"];
  if (continues) args.push("--continue");
  if (picture) args.push("--file", picture);
  const file = join(modules, "node_modules", `opencode-${process.platform}-${process.arch}`, "bin", "opencode");
  return started(place, file, args, { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" });
};

const pi: Start = ({ prompt, continues, thinks, picture }, place) => {
  const { baseUrl, credential, model, home } = place;
  written(join(home, ".pi", "agent", "models.json"), {
    providers: { anthropic: { baseUrl, apiKey: credential } },
  });
  const args = ["--offline", "-p", "--provider", "anthropic", "--model", model, "--thinking", thinks ? "high" : "off"];
  if (continues) args.push("--continue");
  return started(place, npmProgram(place, "pi"), [...args, ...(picture ? [`@${picture}`] : []), prompt]);
};

const cline: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (continues || picture) return undefined;
  const { baseUrl, credential, model, home } = place;
  const settings = { provider: "anthropic", model, apiKey: credential, baseUrl: `${baseUrl}/v1` };
  const providers = { anthropic: { settings, updatedAt: "2026-11-28T00:00:00.000Z", tokenSource: "manual" } };
  const file = join(home, ".cline", "data", "settings", "providers.json");
  written(file, { version: 1, lastUsedProvider: "anthropic", modes: {}, providers });
  const args = [prompt, "-P", "anthropic", "-m", model, "--json", ...(thinks ? ["--thinking", "medium"] : [])];
  return started(place, npmProgram(place, "cline"), args);
};

const copilot: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (thinks || picture) return undefined;
  const { baseUrl, credential, model } = place;
  const args = ["-p", prompt, "--allow-all-tools", ...(continues ? ["--continue"] : [])];
  return started(place, npmProgram(place, "copilot"), args, {
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_API_KEY: credential,
    COPILOT_MODEL: model,
    COPILOT_AUTO_UPDATE: "false",
  });
};

const qwen: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (thinks || picture) return undefined;
  const { baseUrl, credential, model } = place;
  const args = [prompt, "--auth-type", "anthropic", "-m", model, "--yolo", ...(continues ? ["--continue"] : [])];
  return started(place, npmProgram(place, "qwen"), args, {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: credential,
  });
};

const continueCli: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (thinks || picture) return undefined;
  const { baseUrl, credential, model, home } = place;
  const claude = { name: "Claude", provider: "anthropic", model, apiBase: `${baseUrl}/v1/`, apiKey: credential };
  const config = join(home, "config.yaml");
  const models = [{ ...claude, roles: ["chat"], capabilities: ["tool_use"] }];
  written(config, { name: "archway", version: "0.0.1", schema: "v1", models });
  const args = ["-p", prompt, "--config", config, "--auto", ...(continues ? ["--resume"] : [])];
  return started(place, npmProgram(place, "cn"), args, { CONTINUE_TELEMETRY_ENABLED: "0" });
};

const aider: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (picture || prompt === usesTool.prompt) return undefined;
  const { baseUrl, credential, model } = place;
  const args = ["--model", `anthropic/${model}`, "--message", prompt, "--yes-always", "--no-git", "--no-check-update"];
  args.push("--no-show-model-warnings", "--analytics-disable", "--no-pretty", "--no-detect-urls", "--cache-prompts");
  if (thinks) args.push("--thinking-tokens", "2k");
  if (continues) args.push("--restore-chat-history");
  const env = { ANTHROPIC_API_BASE: baseUrl, ANTHROPIC_API_KEY: credential };
  return started(place, pythonProgram(place, "aider"), args, env);
};

/** As its documentation says for models that take no temperature. */
const aiderWithoutTemperature: Start = (step, place) => {
  const settings = { name: `anthropic/${place.model}`, use_temperature: false, cache_control: true };
  written(join(place.folder, ".aider.model.settings.yml"), [settings]);
  return aider(step, place);
};

const llm: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (prompt === usesTool.prompt) return undefined;
  const { baseUrl, credential, model } = place;
  const args = ["prompt", prompt, "-m", `anthropic/${model}`, "--key", credential];
  args.push(...(continues ? ["--continue"] : []), ...(picture ? ["-a", picture] : []));
  if (thinks) args.push("-o", "thinking", "1");
  return started(place, pythonProgram(place, "llm"), args, { ANTHROPIC_BASE_URL: baseUrl });
};

const gptme: Start = ({ prompt, continues, thinks, picture }, place) => {
  if (thinks || picture || continues || prompt === usesTool.prompt) return undefined;
  const { baseUrl, credential, model } = place;
  const args = ["--non-interactive", "--model", `anthropic/${model}`, prompt];
  return started(place, pythonProgram(place, "gptme"), args, {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: credential,
  });
};

export const assistants: NewestClient[] = [
  assistant("Claude Code", "npm", ["@anthropic-ai/claude-code"], claudeCode),
  assistant("opencode", "npm", ["opencode-ai"], openCode),
  assistant("Continue", "npm", ["@continuedev/cli"], continueCli),
  assistant("Cline", "npm", ["cline"], cline),
  assistant("pi", "npm", ["@earendil-works/pi-coding-agent"], pi),
  assistant("Copilot CLI", "npm", ["@github/copilot"], copilot),
  assistant("Qwen Code", "npm", ["@qwen-code/qwen-code"], qwen),
  assistant("aider", "PyPI", ["aider-chat"], aider),
  assistant("aider (use_temperature: false)", "PyPI", ["aider-chat"], aiderWithoutTemperature),
  assistant("llm", "PyPI", ["llm-anthropic", "llm"], llm),
  assistant("gptme", "PyPI", ["gptme"], gptme),
];
