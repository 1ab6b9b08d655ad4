// Gemini CLI: its settings (google-gemini.github.io/gemini-cli/docs/tools/mcp-server.html).
import { join } from "node:path";
import { changeJson } from "../../command-line/machine/settings-file.ts";
import { type Client, entryName } from "./client.ts";

export const gemini: Client = ({ home }, { command, args }) =>
  changeJson(join(home, ".gemini", "settings.json"), [{ path: ["mcpServers", entryName], value: { command, args } }]);
