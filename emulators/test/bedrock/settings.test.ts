import { expect, test } from "@jest/globals";
import { changedSettings, defaultSettings, type Settings } from "../../bedrock/settings.ts";

test("a change of Bedrock's settings keeps the settings that are not named", () => {
  const changed = changedSettings(defaultSettings, { outputTokens: 500, tokensPerEvent: 9 });
  expect(changed).toEqual({ ...defaultSettings, outputTokens: 500, tokensPerEvent: 9 });
  for (const outputTokens of [undefined, null]) {
    expect(changedSettings(changed, { outputTokens })).toEqual({ ...defaultSettings, tokensPerEvent: 9 });
  }
});

test.each([{ millisecondsPerToken: -1 }, { tokensPerEvent: 0 }, { speed: 3 } as Partial<Settings>])(
  "the setting %j is refused by name",
  (change) => {
    expect(() => changedSettings(defaultSettings, change)).toThrow(Object.keys(change)[0]);
  },
);
