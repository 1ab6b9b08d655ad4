// Codex: the table of this server in its TOML (developers.openai.com/codex/config-reference). Everything else in the file stays as it is.
import { join } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import { readSettings } from "../../command-line/machine/settings-file.ts";
import { type Client, entryName } from "./client.ts";

/** Codex starts servers with few variables of its own; these lead to the sign-in and to the person's screen. */
const passedOn = [
  ...[
    "ARCHWAY_HOME",
    "ARCHWAY_PROFILE",
    "ARCHWAY_STORE",
    "ARCHWAY_URL",
    "BROWSER",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
  ],
  ...["NODE_EXTRA_CA_CERTS", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"],
];
/** A run takes up to five minutes; Codex ends a call after one. */
const toolTimeoutSeconds = 360;

const header = `[mcp_servers.${entryName}]`;

export const codex: Client = ({ env, home }, { command, args }) => {
  const file = join(env.CODEX_HOME || join(home, ".codex"), "config.toml");
  const before = readSettings(file) ?? "";
  const table = [
    header,
    `command = ${quoted(command)}`,
    `args = [${args.map(quoted).join(", ")}]`,
    `env_vars = [${passedOn.map(quoted).join(", ")}]`,
    `tool_timeout_sec = ${toolTimeoutSeconds}`,
  ].join("\n");
  const { above, own, below } = split(file, before);
  if (own?.trim() === table) return { file, text: before, said: [] };
  const said = [`${own === undefined ? "added  " : "changed"} ${header}: ${[command, ...args].join(" ")}`];
  const gap = above === "" || above.endsWith("\n\n") ? "" : above.endsWith("\n") ? "\n" : "\n\n";
  return { file, text: `${above}${gap}${table}\n${below === "" ? "" : `\n${below}`}`, said };
};

/** @throws Failure where the entry is written in another way: it is then not ours to change. */
function split(file: string, text: string): { above: string; own?: string; below: string } {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === header);
  if (start < 0) {
    if (!new RegExp(`mcp_servers\\.["']?${entryName}\\b|^\\s*mcp_servers\\s*=`, "m").test(text))
      return { above: text, below: "" };
    throw new Failure("failed", `${file} has a server ${entryName} already, written in another way: change it by hand`);
  }
  const next = lines.findIndex((line, at) => at > start && /^\s*\[/.test(line));
  const end = next < 0 ? lines.length : next;
  const above = lines
    .slice(0, start)
    .map((line) => `${line}\n`)
    .join("");
  return { above, own: lines.slice(start, end).join("\n"), below: lines.slice(end).join("\n") };
}

/** A basic string of TOML escapes what one of JSON does. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
