import { describe, expect, test } from "@jest/globals";
import { exceptionNamed, rejection } from "../../../adapters/bedrock/failures.ts";

const malformed = "Malformed input request: #: extraneous key [diagnostics] is not permitted";

describe("the part for which the model host refused a request", () => {
  const partIn = (words: string) => rejection(words).refusedPart;

  test.each([
    "diagnostics: Extra inputs are not permitted",
    `${malformed}, please reformat your input and try again.`,
    `The model returned the following errors: ${malformed}, please reformat your input and try again.`,
  ])("the host refused a field at the top of the request: %j", (words) =>
    expect(partIn(words)).toEqual({ field: "diagnostics" }),
  );

  test.each(["invalid beta flag", "The model returned the following errors: Invalid beta flag"])(
    "the host refused one of the request's flags: %j",
    (words) => expect(partIn(words)).toBe("flags"),
  );

  test.each([
    "tools.0.custom.diagnostics: Extra inputs are not permitted",
    "diagnostics: Input should be a valid list",
    "Tool 'x' not found\ndiagnostics: Extra inputs are not permitted",
    malformed.replace("#", "#/messages/0"),
  ])("the words name no part that can be left out: %j", (words) => expect(partIn(words)).toBeUndefined());

  test("only a rejection names the part that the host refused", () => {
    const words = "diagnostics: Extra inputs are not permitted";
    expect(exceptionNamed("ValidationException", words, 400).refusedPart).toEqual({ field: "diagnostics" });
    expect(exceptionNamed("ThrottlingException", words, 429).refusedPart).toBeUndefined();
    expect(exceptionNamed("ModelErrorException", words, 424).refusedPart).toBeUndefined();
  });
});
