// Settings of a provider's server: what is taken, and what is refused before anything is made.
import { describe, expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { envEntriesBody, requireEntries } from "../../../domain/marketplace/env-entry.ts";
import { requireProvider } from "../../../domain/marketplace/providers.ts";

const parsed = (entries: unknown) => parseRequest(envEntriesBody, entries, "extra_env_entries");
const entry = (name: string, value = "x") => ({ name, value });
const many = (count: number, value = "x") =>
  Array.from({ length: count }, (_, place) => entry(`SETTING_${place}`, value));

test("names and values of the most length are taken, and words of any language", () => {
  const entries = [entry(`A${"b".repeat(99)}`, "v".repeat(5_000))];
  expect(parsed(entries)).toEqual(entries);
  expect(parsed([entry("lower_1", 'Grüße, 世界 🙂 "{}"')])).toHaveLength(1);
  expect(parsed(many(49))).toHaveLength(49);
});

describe("what is refused", () => {
  test.each([
    ["a value of 5,001 characters", [entry("A", "v".repeat(5_001))], "5000 characters"],
    ["a name of 101 characters", [entry("A".repeat(101))], "100 characters"],
    ["51 of them", many(51), "at most 49 entries"],
    ["more than fits a secret", many(20, "v".repeat(5_000)), "bytes in all"],
    ["a newline", [entry("A", "x\ny")], "line breaks"],
    ["a carriage return", [entry("A", "x\ry")], "line breaks"],
    ["a byte of zero", [entry("A", "x\0y")], "control characters"],
    ["no value", [entry("A", "")], "must not be empty"],
    ["a name with an equals sign", [entry("A=B")], "letters, digits and _"],
    ["a name that begins with a digit", [entry("1A")], "begin with no digit"],
    ["the same name twice", [entry("A"), entry("A")], "is there twice"],
    ["a field that nobody knows", [{ ...entry("A"), secret: true }], "unknown field"],
    ["what is no list", { A: "x" }, "expected array"],
  ])("%s", (_, entries, words) => expect(() => parsed(entries)).toThrow(words));

  test.each([
    ...["PATH", "path", "HOME", "PORT", "NODE_OPTIONS", "node_options", "NODE_EXTRA_CA_CERTS", "LD_PRELOAD"],
    ...[
      "DYLD_INSERT_LIBRARIES",
      "AWS_ACCESS_KEY_ID",
      "aws_region",
      "_HANDLER",
      "npm_config_registry",
      "OTEL_SDK_DISABLED",
    ],
    ...["ARCHWAY_STACK", "AGENTCORE_RUNTIME", "BEDROCK_AGENTCORE_URL"],
  ])("the reserved name %s", (name) => expect(() => parsed([entry(name)])).toThrow("is reserved for the platform"));
});

describe("a provider", () => {
  const tavily = requireProvider("tavily");

  test("of an API takes no settings", () => {
    expect(() => requireEntries(requireProvider("github"), [entry("A")])).toThrow("github is none");
    expect(() => requireEntries(requireProvider("github"), [])).not.toThrow();
  });

  test("keeps the variable of its credential to itself", () => {
    expect(() => requireEntries(tavily, [entry("A"), entry("TAVILY_API_KEY")])).toThrow(
      "extra_env_entries.1.name: is the credential's: send it as secret",
    );
  });

  test("has the settings that it needs", () => {
    const needy = { ...tavily, configuration: [{ name: "SITE", description: "Your site", required: true }] };
    expect(() => requireEntries(needy, [])).toThrow("must have SITE: Your site");
    expect(() => requireEntries(needy, [entry("SITE")])).not.toThrow();
  });
});
