// What each client is told, by the files that it reads.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { parse } from "yaml";
import { writeChanges } from "../../../packages/command-line/machine/settings-file.ts";
import type { Platform } from "../../../packages/sign-in/platform/platform.ts";
import { claudeCode } from "../../../packages/token-helper/clients/claude-code.ts";
import type { Client, Setting, SetupResult } from "../../../packages/token-helper/clients/client.ts";
import { continueDev } from "../../../packages/token-helper/clients/continue.ts";
import { environment } from "../../../packages/token-helper/clients/environment.ts";
import { opencode } from "../../../packages/token-helper/clients/opencode.ts";
import { archway } from "../../../packages/token-helper/program.ts";

let home: string;
let setting: Setting;
let created: string[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "archway-"));
  created = [];
  jest.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    return new Response(null, { status: new Headers(init?.headers).get("x-api-key") === "ar_live_good" ? 200 : 401 });
  });
  const platform = {
    proxyUrl: (slug: string) => `https://${slug}.proxy.example.com/vendor`,
    regionHeader: "X-Platform-Region",
    api: (path: string) => `https://api.example.com/v1${path}`,
    ask: async (_url: string, { name }: { name: string }) => {
      created.push(name);
      return { key: "ar_live_good", key_id: "k1" };
    },
  } as unknown as Platform;
  const budget = {
    month: "2026-11",
    spent_usd: 0,
    reserved_usd: 0,
    workspace_capped: false,
    resets_at: "",
    models: ["claude-sonnet-5-5"],
    regions: ["eu-central-1"],
    default_region: "eu-central-1",
  };
  const silent = () => undefined;
  setting = {
    machine: {
      program: archway,
      env: {},
      platform: "linux",
      home,
      cwd: "/nowhere",
      systemRoot: "/nowhere",
      hostname: "laptop",
      now: () => 0,
      stdin: Readable.from([]),
      out: silent,
      say: silent,
    },
    platform,
    changing: (_why, work) => work(platform),
    workspace: { slug: "acme", name: "Acme", role: "developer", budget },
    models: [{ id: "claude-sonnet-5-5", display_name: "Sonnet", max_input_tokens: 200_000, max_tokens: 64_000 }],
    model: "claude-sonnet-5-5",
    smallModel: "claude-sonnet-5-5",
    families: { sonnet: "claude-sonnet-5-5" },
    region: undefined,
    profile: "default",
    helper: { words: ["archway", "token"], line: "archway token" },
    shell: "sh",
    print: false,
  };
});

afterEach(() => void jest.restoreAllMocks());

function given(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const read = (path: string) => readFileSync(join(home, path), "utf8");

async function setUp(client: Client, changes: Partial<Setting> = {}): Promise<SetupResult> {
  const result = await client({ ...setting, ...changes });
  writeChanges(setting.machine, result.files ?? [], false);
  return result;
}

describe("Claude Code", () => {
  const file = ".claude/settings.json";

  test("setup of Claude Code writes the key helper, the address and models for its short names", async () => {
    await setUp(claudeCode);
    expect(JSON.parse(read(file))).toEqual({
      apiKeyHelper: "archway token --client $PPID",
      model: "claude-sonnet-5-5",
      env: {
        ANTHROPIC_BASE_URL: "https://acme.proxy.example.com/vendor",
        CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "300000",
        CLAUDE_CODE_MAX_RETRIES: "3",
        CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
        CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
        ANTHROPIC_DEFAULT_OPUS_MODEL: "claude-sonnet-5-5",
        ANTHROPIC_DEFAULT_SONNET_MODEL: "claude-sonnet-5-5",
        ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-sonnet-5-5",
      },
    });
  });

  test("setup of Claude Code lets it start without the vendor's own addresses, and keeps its other state", async () => {
    given(".claude.json", '{"theme":"dark","projects":{"/a":{}}}');
    await setUp(claudeCode);
    const noted = { theme: "dark", projects: { "/a": {} }, hasCompletedOnboarding: true };
    expect(JSON.parse(read(".claude.json"))).toEqual(noted);
    const env = { CLAUDE_CONFIG_DIR: join(home, "own") };
    await setUp(claudeCode, { machine: { ...setting.machine, env } });
    expect(JSON.parse(read("own/.claude.json"))).toEqual({ hasCompletedOnboarding: true });
  });

  test.each([
    ["a comment", '{\n  // mine\n  "theme": "dark"\n}'],
    ["a trailing comma", '{ "theme": "dark", }'],
    ["two values", "{}{}"],
    ["a list", "[]"],
  ])("setup of Claude Code is refused in a file that it would ignore: %s", async (_what, text) => {
    for (const name of [file, ".claude.json"]) {
      given(name, text);
      await expect(setUp(claudeCode)).rejects.toThrow(/is no valid JSON \(line \d: .*nothing was changed/);
      expect(read(name)).toBe(text);
      given(name, "{}");
    }
  });

  test("setup of Claude Code passes no process id to the helper on Windows, whose shell has no variable for it", async () => {
    await setUp(claudeCode, { machine: { ...setting.machine, platform: "win32" } });
    expect(JSON.parse(read(file)).apiKeyHelper).toBe("archway token");
  });

  test("setup of Claude Code keeps other headers, and the region's header only while a region is named", async () => {
    given(file, JSON.stringify({ env: { ANTHROPIC_CUSTOM_HEADERS: "X-Mine: 1\nx-platform-region: mars-1" } }));
    await setUp(claudeCode, { region: "us-east-1" });
    expect(JSON.parse(read(file)).env.ANTHROPIC_CUSTOM_HEADERS).toBe("X-Mine: 1\nX-Platform-Region: us-east-1");
    await setUp(claudeCode);
    expect(JSON.parse(read(file)).env.ANTHROPIC_CUSTOM_HEADERS).toBe("X-Mine: 1");
  });

  test("setup of Claude Code warns of a credential that takes precedence", async () => {
    given(file, '{"env":{"ANTHROPIC_API_KEY":"sk-secret"}}');
    const { notes } = await setUp(claudeCode);
    expect(notes?.join()).toContain("ANTHROPIC_API_KEY is set and wins");
    expect(notes?.join()).not.toContain("sk-secret");
  });
});

describe("opencode", () => {
  test("setup of opencode adds a provider to the existing file, and its plugin", async () => {
    given(".config/opencode/opencode.jsonc", '{\n  // mine\n  "provider": { "openai": {} }\n}\n');
    await setUp(opencode, { region: "us-east-1" });
    const text = read(".config/opencode/opencode.jsonc");
    expect(text).toContain("// mine");
    expect(JSON.parse(text.replace("// mine", ""))).toMatchObject({
      provider: {
        openai: {},
        archway: {
          options: {
            baseURL: "https://acme.proxy.example.com/vendor/v1",
            headers: { "X-Platform-Region": "us-east-1" },
          },
          models: {
            "claude-sonnet-5-5": {
              limit: { context: 200_000, output: 64_000 },
              attachment: true,
              modalities: { input: ["text", "image", "pdf"], output: ["text"] },
            },
          },
        },
      },
      model: "archway/claude-sonnet-5-5",
    });
    expect(read(".config/opencode/plugins/archway.js")).toContain('run("archway", ["token"])');
  });

  test("opencode starts the helper in a shell on Windows, where npm's commands are scripts", async () => {
    await setUp(opencode, { machine: { ...setting.machine, platform: "win32" } });
    expect(read(".config/opencode/plugins/archway.js")).toContain('run("archway", ["token"], { shell: true })');
  });
});

describe("Continue", () => {
  const [config, secrets] = [".continue/config.yaml", ".continue/.env"];

  test("setup of Continue writes a key into the file for secrets, and keeps comments, models and other secrets", async () => {
    given(
      config,
      "name: Mine # and this\nversion: 1.0.0\nschema: v1\nmodels:\n  # mine\n  - name: Other\n    provider: ollama\n    model: x\n",
    );
    given(secrets, "OTHER=1");
    await setUp(continueDev);
    const text = read(config);
    expect(text).toContain("# mine");
    expect(text).toContain("# and this");
    expect(text).not.toContain("ar_live_");
    expect(parse(text).models.map(({ name }: { name: string }) => name)).toEqual([
      "Other",
      "Archway (Acme)",
      "Archway (Acme), small",
    ]);
    expect(read(secrets)).toBe("OTHER=1\nARCHWAY_API_KEY=ar_live_good\n");
  });

  test("Continue asks for no key of the vendor at its first start after setup", async () => {
    await setUp(continueDev);
    expect(read(".continue/.onboarding_complete")).not.toBe("");
    expect((await setUp(continueDev)).files?.at(-1)?.said).toEqual([]);
  });

  test("setup of Continue creates no second key while the first is valid", async () => {
    await setUp(continueDev);
    await setUp(continueDev);
    expect(created).toEqual(["Continue on laptop"]);
    given(secrets, "ARCHWAY_API_KEY=ar_live_revoked\nOTHER=1\n");
    await setUp(continueDev);
    expect([created.length, read(secrets)]).toEqual([2, "ARCHWAY_API_KEY=ar_live_good\nOTHER=1\n"]);
  });

  test("setup of Continue creates no key if changes are only shown, or if the file is damaged", async () => {
    await continueDev({ ...setting, print: true });
    given(config, "models: [");
    await expect(continueDev(setting)).rejects.toThrow("nothing was changed");
    given(config, "models: text\n");
    await expect(continueDev(setting)).rejects.toThrow("nothing was changed");
    expect(created).toEqual([]);
  });
});

test.each([
  [
    "sh",
    `export ANTHROPIC_AUTH_TOKEN="$(archway token)"\n`,
    "export ANTHROPIC_CUSTOM_HEADERS='X-Platform-Region: us-east-1'\n",
  ],
  [
    "fish",
    "set -gx ANTHROPIC_AUTH_TOKEN (archway token)\n",
    "set -gx ANTHROPIC_CUSTOM_HEADERS 'X-Platform-Region: us-east-1'\n",
  ],
  [
    "powershell",
    "$env:ANTHROPIC_AUTH_TOKEN = (archway token)\n",
    "$env:ANTHROPIC_CUSTOM_HEADERS = 'X-Platform-Region: us-east-1'\n",
  ],
])("the shell %s gets the environment in its own syntax", async (shell, token, region) => {
  const { text } = await environment({ ...setting, shell, region: "us-east-1" });
  expect(text).toContain(token);
  expect(text).toContain(region);
  await expect(environment({ ...setting, shell: "cmd" })).rejects.toThrow("--shell");
});
