// Settings of a provider's server: those that the provider declares are taken, and everything else is refused before anything is made.
import { describe, expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import type { RuntimeProvider } from "../../../domain/marketplace/provider.ts";
import {
  declaredNames,
  envEntriesBody,
  leadsCredential,
  requireEntries,
  takenSettings,
} from "../../../domain/marketplace/provider-settings.ts";
import { requireProvider, runtimeProviders } from "../../../domain/marketplace/providers.ts";

const entry = (name: string, value = "x") => ({ name, value });
const brave = requireProvider("brave-search");
const notion = requireProvider("notion");
const level = "BRAVE_MCP_LOG_LEVEL";

test.each([
  ["a value of 5,001 characters", [entry(level, "v".repeat(5_001))], "5000 characters"],
  ["50 of them", Array.from({ length: 50 }, () => entry(level)), "at most 49 entries"],
  ["a field that nobody knows", [{ ...entry(level), secret: true }], "unknown field"],
  ["what is no list", { A: "x" }, "expected array"],
])("%s is refused in a provider's settings", (_, entries, words) => {
  expect(() => parseRequest(envEntriesBody, entries, "extra_env_entries")).toThrow(words);
});

describe("a name that the provider does not declare", () => {
  test.each([
    ...["BASE_URL", "OPENAPI_MCP_HEADERS", "NOTION_TOKEN", "AUTH_TOKEN", "ENABLE_TOKEN_PASSTHROUGH", "HTTPS_PROXY"],
    ...["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "BASH_ENV", "LD_PRELOAD", "AWS_REGION", "PATH", "", "__proto__"],
  ])("the setting %j, which the provider does not declare, is refused with the declared names", (name) => {
    expect(() => requireEntries(notion, [entry(name)])).toThrow(
      "extra_env_entries.0.name: is no setting of notion, which takes none",
    );
  });

  test.each([
    ["another case", "brave_mcp_log_level"],
    ["another case of one letter", "BRAVE_MCP_LOG_LEVEl"],
    ["a letter of another script", "ΒRAVE_MCP_LOG_LEVEL"],
    ["wide letters", "ＢＲＡＶＥ_MCP_LOG_LEVEL"],
    ["a blank", "BRAVE_MCP_LOG_LEVEL "],
    ["a character of no width", "BRAVE_MCP_LOG\u200b_LEVEL"],
    ["a zero byte", "BRAVE_MCP_LOG_LEVEL\0"],
    ["the credential's variable", "BRAVE_API_KEY"],
    ["a file with another credential", "BRAVE_API_KEY_FILE"],
    ["another transport", "BRAVE_MCP_TRANSPORT"],
  ])("a setting that the provider does not declare is refused in %s", (_, name) => {
    expect(() => requireEntries(brave, [entry(level, "info"), entry(name, "info")])).toThrow(
      `extra_env_entries.1.name: is no setting of brave-search, which takes ${level}`,
    );
  });

  test("settings are refused for an API's provider, which accepts none", () => {
    expect(() => requireEntries(requireProvider("github"), [entry("A")])).toThrow("which takes none");
    expect(() => requireEntries(requireProvider("github"), [])).not.toThrow();
  });
});

describe("a declared setting", () => {
  test("a declared setting of a provider is accepted once, in its form", () => {
    expect(() => requireEntries(brave, [entry(level, "debug")])).not.toThrow();
    expect(() => requireEntries(brave, [entry(level, "debug"), entry(level, "info")])).toThrow("is there twice");
    expect(() => requireEntries(brave, [entry(level, "https://evil.example")])).toThrow(
      "extra_env_entries.0.value: must be one of debug, info",
    );
  });

  test("a required setting of a provider that is missing is refused", () => {
    const site = { name: "SITE", description: "Your site", required: true, form: { kind: "boolean" } } as const;
    const needy = { ...brave, configuration: [site] };
    expect(() => requireEntries(needy, [])).toThrow("must have SITE: Your site");
    expect(() => requireEntries(needy, [entry("SITE", "true")])).not.toThrow();
  });
});

test("stored settings that the provider no longer accepts are left out", () => {
  const kept = { [level]: "debug", BASE_URL: "https://evil.example", toString: "x" };
  expect(takenSettings(brave, kept)).toEqual({ [level]: "debug" });
  expect(takenSettings(brave, { [level]: "loud" })).toEqual({});
  expect(takenSettings(brave, undefined)).toEqual({});
  expect(declaredNames(brave, ["BASE_URL", level])).toEqual([level]);
});

/** Variables by which the bundled servers choose a host, headers, a transport, a file or a credential (their sources, read 2026-11). */
const guiding =
  /URL|URI|HOST|PORT|PROXY|HEADER|TOKEN|KEY|SECRET|AUTH|FILE|PATH|TRANSPORT|STATELESS|ORIGIN|^(NODE|AWS|LD|DYLD|NPM|DOTENV)_/i;

test.each(runtimeProviders.map((one) => [one.provider_id, one] as const))(
  "the provider %s declares no setting that moves the credential or chooses the program",
  (_, provider: RuntimeProvider) => {
    expect(provider.configuration.map(({ name }) => name).filter((name) => guiding.test(name))).toEqual([]);
    expect(leadsCredential(provider)).toBe(false);
  },
);
