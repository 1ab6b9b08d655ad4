// The forms of settings: a value is a text, and is judged as what it stands for.
import { describe, expect, test } from "@jest/globals";
import { type SettingForm, settingProblem } from "../../../domain/marketplace/setting-form.ts";

const scalars: Record<string, Exclude<SettingForm, { kind: "object" }>> = {
  enum: { kind: "enum", values: ["low", "high"] },
  integer: { kind: "integer", minimum: 5, maximum: 20 },
  boolean: { kind: "boolean" },
  text: { kind: "text", pattern: "[a-z]{2}|x", says: "must be two letters" },
  url: { kind: "url", hosts: ["eu.example.com", "us.example.com:8443"] },
};

describe.each([
  ["enum", ["low"], ["", "LOW", "low ", "lоw"], "must be one of low, high"],
  ["integer", ["5", "20"], ["4", "21", "5.5", "0x10", "1e1", "", " 7", "٧"], "must be a whole number from 5 to 20"],
  ["boolean", ["true", "false"], ["TRUE", "1", ""], "must be true or false"],
  ["text", ["de", "x"], ["de\n", "d", "dx ", "xx\nevil", ""], "must be two letters"],
  [
    "url",
    ["https://eu.example.com", "https://us.example.com:8443/api"],
    [
      ...["https://evil.example", "http://eu.example.com", "https://eu.example.com.evil.example", "eu.example.com", ""],
      ...["https://eu.example.com@evil.example", "https://evil.example\\@eu.example.com", "https://eu.example.com:444"],
      ...["https://еu.example.com", "https://eu。example.com", "https://eu.example.com#x", "https:eu.example.com"],
    ],
    "must be an https address of eu.example.com, us.example.com:8443",
  ],
] as const)("%s", (kind, good, bad, words) => {
  const form = scalars[kind] as SettingForm;
  test.each(good)("a provider's setting accepts %j", (text) => expect(settingProblem(form, text)).toBeUndefined());
  test.each(bad)("a provider's setting refuses %j", (text) => expect(settingProblem(form, text)).toBe(words));
});

describe("object", () => {
  const form: SettingForm = { kind: "object", members: scalars };

  test.each(["{}", '{"enum":"low","integer":7,"boolean":false,"text":"de","url":"https://eu.example.com"}'])(
    "a provider's setting that is an object accepts %s",
    (text) => expect(settingProblem(form, text)).toBeUndefined(),
  );

  test.each([
    ["[]", "must be a JSON object that has no members but enum, integer, boolean, text, url"],
    ["low", "must be a JSON object that has no members but enum, integer, boolean, text, url"],
    ['{"api_key":"x"}', "must be a JSON object that has no members but enum, integer, boolean, text, url"],
    ['{"__proto__":{"enum":"low"}}', "must be a JSON object that has no members but enum, integer, boolean, text, url"],
    ['{"enum":"mid"}', "has a member enum that must be one of low, high"],
    ['{"integer":"7"}', "has a member integer that must be a whole number from 5 to 20"],
    ['{"boolean":"true"}', "has a member boolean that must be true or false"],
    ['{"url":"https://evil.example"}', "has a member url that must be an https address of eu.example.com"],
  ])("a provider's setting that is an object refuses %s", (text, words) =>
    expect(settingProblem(form, text)).toContain(words),
  );
});
