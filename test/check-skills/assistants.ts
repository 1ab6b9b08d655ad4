// The assistants that hold a conversation: how each is started with what `setup` wrote, and how it names tools.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SkillsSeat } from "../support/skills/skills-server.ts";
import type { Speech } from "./conversation.ts";

const modules = fileURLToPath(new URL("./node_modules/", import.meta.url));
const platform = `${process.platform}-${process.arch}`;
const prompt = "Share my skill and use it.";

export type Models = {
  /** Of the workspace's proxy, which ends in `/vendor`. */
  proxy: string;
  key: string;
  /** Of the scripted model itself. */
  direct: string;
};

export type Words = { file: string; args: string[]; env?: Record<string, string> };

export type Assistant = {
  /** For `archway-skills setup`. */
  name: "claude-code" | "opencode" | "codex";
  speech: Speech;
  /** Asks once. */
  ask(models: Models, seat: SkillsSeat): Words;
};

export const assistants: Assistant[] = [
  {
    name: "claude-code",
    speech: {
      use: (tool, input) => ({ tool: `mcp__skills__${tool}`, input }),
      shell: (command) => ({ tool: "Bash", input: { command, description: "Activate" } }),
      // Tools of servers are found by a tool first.
      find: (tools) => ({
        tool: "ToolSearch",
        input: { query: `select:${tools.map((tool) => `mcp__skills__${tool}`).join(",")}` },
      }),
      listens: true,
    },
    ask: ({ proxy, key }) => ({
      file: claudeCode(),
      args: ["-p", prompt, "--model", "claude-sonnet-5-5", "--dangerously-skip-permissions"],
      env: {
        IS_SANDBOX: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: proxy,
      },
    }),
  },
  {
    name: "opencode",
    speech: {
      use: (tool, input) => ({ tool: `skills_${tool}`, input }),
      shell: (command) => ({ tool: "bash", input: { command, description: "Activate" } }),
      // Within one prompt it goes on with the tools of its beginning (measured with 1.18).
      listens: false,
    },
    ask({ proxy, key }, { project }) {
      const anthropic = {
        options: { baseURL: `${proxy}/v1`, apiKey: key },
        models: { "claude-sonnet-5-5": { name: "Sonnet" } },
      };
      writeFileSync(
        join(project, "opencode.json"),
        JSON.stringify({ autoupdate: false, share: "disabled", provider: { anthropic } }),
      );
      const env = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
      return { ...openCode(), args: ["run", prompt, "--model", "anthropic/claude-sonnet-5-5"], env };
    },
  },
  {
    // Codex speaks the Responses API alone, so its model is asked past the workspace's proxy.
    name: "codex",
    speech: {
      use: (tool, input) => ({ namespace: "mcp__skills", tool, input }),
      shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
      // It reads the list of tools once (github.com/openai/codex/issues/37417).
      listens: false,
    },
    ask({ direct }) {
      const provider = `{ name = "scripted", base_url = "${direct}/v1", wire_api = "responses" }`;
      const settings = ['model_provider="scripted"', `model_providers.scripted=${provider}`];
      const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--model", "scripted"];
      const given = settings.flatMap((setting) => ["-c", setting]);
      const { file, args } = codex();
      return { file, args: [...args, "exec", ...options, ...given, prompt] };
    },
  },
];

/** The program of the platform's package: no install script has linked it to the place where npm would start it. */
function claudeCode(): string {
  const from = createRequire(join(modules, "@anthropic-ai", "claude-code", "package.json"));
  return join(dirname(from.resolve(`@anthropic-ai/claude-code-${platform}/package.json`)), "claude");
}

export function openCode(): Words {
  return { file: join(modules, `opencode-${platform}`, "bin", "opencode"), args: [] };
}

export function codex(): Words {
  return { file: process.execPath, args: [join(modules, "@openai", "codex", "bin", "codex.js")] };
}

export function gemini(): Words {
  return { file: process.execPath, args: [join(modules, "@google", "gemini-cli", "bundle", "gemini.js")] };
}
