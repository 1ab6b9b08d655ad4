import { expect, test } from "@jest/globals";
import { changedSettings, defaultSettings, type Settings } from "../../bedrock/settings.ts";

test("given settings of Bedrock change and the others are kept", () => {
  const changed = changedSettings(defaultSettings, { outputTokens: 500, tokensPerEvent: 9 });
  expect(changed).toEqual({ ...defaultSettings, outputTokens: 500, tokensPerEvent: 9 });
  expect(changedSettings(changed, { outputTokens: undefined })).toEqual({ ...defaultSettings, tokensPerEvent: 9 });
});

test.each([{ millisecondsPerToken: -1 }, { tokensPerEvent: 0 }, { speed: 3 } as Partial<Settings>])(
  "%j is refused by name",
  (change) => {
    expect(() => changedSettings(defaultSettings, change)).toThrow(Object.keys(change)[0]);
  },
);
