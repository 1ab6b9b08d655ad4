// opencode: a provider of its own beside the others, and a plugin that asks the token helper before each call.
import { join } from "node:path";
import { changeJson, type FileChange, readSettings } from "../../command-line/machine/settings-file.ts";
import type { CommandLine } from "../../command-line/own-command.ts";
import type { Model } from "../models.ts";
import type { Client } from "./client.ts";

const provider = "archway";

export const opencode: Client = async (setting) => {
  const { machine, platform, workspace, models, model, smallModel, region, helper } = setting;
  const { env, home } = machine;
  const folder = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const commented = join(folder, "opencode.jsonc");
  const file =
    env.OPENCODE_CONFIG || (readSettings(commented) === undefined ? join(folder, "opencode.json") : commented);
  const settings = changeJson(file, [
    { path: ["$schema"], value: "https://opencode.ai/config.json" },
    { path: ["provider", provider, "npm"], value: "@ai-sdk/anthropic" },
    { path: ["provider", provider, "name"], value: `Archway (${workspace.name})` },
    { path: ["provider", provider, "options", "baseURL"], value: `${platform.proxyUrl(workspace.slug)}/v1` },
    // opencode offers no model without a key; the plugin's header takes its place.
    { path: ["provider", provider, "options", "apiKey"], value: "from-the-token-helper" },
    { path: ["provider", provider, "options", "headers"], value: region && { [platform.regionHeader]: region } },
    {
      path: ["provider", provider, "models"],
      value: Object.fromEntries(models.map((each) => [each.id, modelOf(each)])),
    },
    { path: ["model"], value: `${provider}/${model}` },
    { path: ["small_model"], value: `${provider}/${smallModel}` },
  ]);
  const plugin = pluginFile(join(folder, "plugins", "archway.js"), helper, machine.platform);
  const trial = { program: "opencode", args: ["run", "--model", `${provider}/${smallModel}`] };
  return { files: [settings, plugin], trial };
};

/** Properties that opencode knows of the vendor's own models, and not of another provider's. */
function modelOf({ id, display_name, max_input_tokens, max_tokens }: Model) {
  const limit = max_input_tokens && max_tokens ? { limit: { context: max_input_tokens, output: max_tokens } } : {};
  const modalities = { input: ["text", "image", "pdf"], output: ["text"] };
  return { name: display_name ?? id, tool_call: true, attachment: true, reasoning: true, modalities, ...limit };
}

function pluginFile(file: string, { words }: CommandLine, platform: NodeJS.Platform): FileChange {
  const [program, ...args] = words;
  // Windows starts npm's commands, which are scripts, only in a shell.
  const options = platform === "win32" && program === "archway" ? ", { shell: true }" : "";
  const text = `// Written by archway setup opencode: each call carries a token of the token helper.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export const Archway = async () => ({
  "chat.headers": async ({ model }, { headers }) => {
    if (model.providerID !== ${JSON.stringify(provider)}) return;
    const { stdout } = await run(${JSON.stringify(program)}, ${JSON.stringify(args)}${options});
    headers["x-api-key"] = stdout.trim();
  },
});
`;
  const before = readSettings(file);
  if (before === text) return { file, text, said: [] };
  return { file, text, said: [before === undefined ? "added   the plugin" : "replaced the plugin that was there"] };
}
