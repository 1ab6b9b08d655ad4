// opencode: a provider of its own beside the others, and a plugin that asks the token helper before each call.
import { join } from "node:path";
import { changeJson, type FileChange, readSettings } from "../machine/settings-file.ts";
import type { Model } from "../platform.ts";
import type { Client, HelperCommand } from "./client.ts";

const provider = "archway";

export const opencode: Client = async (setting) => {
  const { machine, platform, workspace, model, smallModel, region, helper } = setting;
  const { env, home } = machine;
  const folder = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const commented = join(folder, "opencode.jsonc");
  const file =
    env.OPENCODE_CONFIG || (readSettings(commented) === undefined ? join(folder, "opencode.json") : commented);
  const listed = await platform.models(workspace.slug);
  const models = listed.filter(({ id }) => workspace.budget.models.includes(id));
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
  return { files: [settings, pluginFile(join(folder, "plugins", "archway.js"), helper)] };
};

/** Properties that opencode knows of the vendor's own models, and not of another provider's. */
function modelOf({ id, display_name, max_input_tokens, max_tokens }: Model) {
  const limit = max_input_tokens && max_tokens ? { limit: { context: max_input_tokens, output: max_tokens } } : {};
  return { name: display_name ?? id, tool_call: true, attachment: true, reasoning: true, ...limit };
}

function pluginFile(file: string, { words: [program, ...args] }: HelperCommand): FileChange {
  const text = `// Written by archway setup opencode: each call carries a token of the token helper.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export const Archway = async () => ({
  "chat.headers": async ({ model }, { headers }) => {
    if (model.providerID !== ${JSON.stringify(provider)}) return;
    const { stdout } = await run(${JSON.stringify(program)}, ${JSON.stringify(args)});
    headers["x-api-key"] = stdout.trim();
  },
});
`;
  const before = readSettings(file);
  if (before === text) return { file, text, said: [] };
  return { file, text, said: [before === undefined ? "added   the plugin" : "replaced the plugin that was there"] };
}
