// Claude Code: its file of servers for all projects (code.claude.com/docs/en/mcp, "user scope").
import { join } from "node:path";
import { changeJson } from "../../command-line/machine/settings-file.ts";
import { type Client, entryName } from "./client.ts";

export const claudeCode: Client = ({ env, home }, { command, args }) => {
  const file = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
  return changeJson(file, [{ path: ["mcpServers", entryName], value: { type: "stdio", command, args } }], true);
};
