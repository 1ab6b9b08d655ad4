// opencode: its settings (opencode.ai/docs/mcp-servers).
import { join } from "node:path";
import { changeJson, readSettings } from "../../command-line/machine/settings-file.ts";
import { type Client, entryName } from "./client.ts";

export const opencode: Client = ({ env, home }, { command, args }) => {
  const folder = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const commented = join(folder, "opencode.jsonc");
  const usual = readSettings(commented) === undefined ? join(folder, "opencode.json") : commented;
  return changeJson(env.OPENCODE_CONFIG || usual, [
    { path: ["$schema"], value: "https://opencode.ai/config.json" },
    { path: ["mcp", entryName], value: { type: "local", command: [command, ...args], enabled: true } },
  ]);
};
