// Claude Code: its settings file, with `archway token` as its key helper.
import { randomUUID } from "node:crypto";
import { changeJson, valueIn } from "../../command-line/machine/settings-file.ts";
import { heldMs } from "../../sign-in/given.ts";
import { detourAdvice, detours, ownSettings, stateFile } from "./claude-code-detours.ts";
import type { Client } from "./client.ts";

/** The newest one repeats what was refused for four minutes, whatever the answer says; this many times are over in some seconds. */
const maxRetries = 3;
/** Variables that Claude Code prefers to a key helper. */
const stronger = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"];

export const claudeCode: Client = async (setting) => {
  const { platform, workspace, model, smallModel, families, region, helper } = setting;
  const { env, platform: platformOf } = setting.machine;
  const file = ownSettings(setting.machine);
  const variable = (name: string, value: string | undefined) => ({ path: ["env", name], value });
  const headers = withRegion(valueIn(file, ["env", "ANTHROPIC_CUSTOM_HEADERS"]), platform.regionHeader, region);
  // The shell puts Claude Code's own process id there. Windows' shell knows no such variable.
  const keyHelper = platformOf === "win32" ? helper.line : `${helper.line} --client $PPID`;
  const changes = [
    { path: ["apiKeyHelper"], value: keyHelper },
    { path: ["model"], value: model },
    variable("ANTHROPIC_BASE_URL", platform.proxyUrl(workspace.slug)),
    variable("CLAUDE_CODE_API_KEY_HELPER_TTL_MS", String(heldMs)),
    variable("CLAUDE_CODE_MAX_RETRIES", String(maxRetries)),
    // Claude Code begins the system prompt with a line that differs between sessions and subagents; nothing after it would come from the cache.
    variable("CLAUDE_CODE_ATTRIBUTION_HEADER", "0"),
    // /model offers what the proxy lists.
    variable("CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY", "1"),
    // The models behind the short names; for a family that is not granted, the usual model.
    variable("ANTHROPIC_DEFAULT_OPUS_MODEL", families.opus ?? model),
    variable("ANTHROPIC_DEFAULT_SONNET_MODEL", families.sonnet ?? model),
    variable("ANTHROPIC_DEFAULT_HAIKU_MODEL", smallModel),
    variable("ANTHROPIC_CUSTOM_HEADERS", headers),
  ];
  const inFile = stronger.filter((name) => valueIn(file, ["env", name]) !== undefined);
  const notes = [...stronger.filter((name) => env[name]), ...inFile].map(
    (name) => `${name} is set and wins over the key helper: take it out of your environment or the settings.`,
  );
  // One comment or trailing comma, and Claude Code ignores the whole file.
  const settings = changeJson(file, changes, true);
  // A first start asks the vendor's own addresses.
  const started = changeJson(stateFile(setting.machine), [{ path: ["hasCompletedOnboarding"], value: true }], true);
  const sessionId = randomUUID();
  const trial = { program: "claude", args: ["--session-id", sessionId, "--model", smallModel, "-p"], sessionId };
  const obstacles = detours(setting.machine, platform.proxyUrl(workspace.slug)).map(detourAdvice);
  return { files: [settings, started], notes, obstacles, trial };
};

/** The custom headers, one a line: ours are replaced, others stay. Undefined for none. */
function withRegion(before: unknown, name: string, region: string | undefined): string | undefined {
  const lines = typeof before === "string" ? before.split("\n").filter(Boolean) : [];
  const others = lines.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  const all = region ? [...others, `${name}: ${region}`] : others;
  return all.length > 0 ? all.join("\n") : undefined;
}
