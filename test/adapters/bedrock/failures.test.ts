import { describe, expect, test } from "@jest/globals";
import { UnsentError } from "../../../adapters/aws.ts";
import {
  exceptionNamed,
  rejection,
  throwConnectionFailure,
  withoutSession,
} from "../../../adapters/bedrock/failures.ts";

const malformed = "Malformed input request: #: extraneous key [diagnostics] is not permitted";

describe("the host's words for a thinking block's signature", () => {
  const vendors = "messages.1.content.0: Invalid `signature` in `thinking` block";

  test.each([
    "messages.1.content.0.thinking.signature: Field required",
    "The model returned the following errors: messages.1.content.0.thinking.signature: Field required",
    "messages.1.content.0.redacted_thinking.data: Field required",
  ])("the host's words %j are said in the vendor's, by which clients heal", (words) => {
    const { failure, message } = exceptionNamed("ValidationException", words, 400);
    expect([failure, message.includes(vendors), message.includes("Field required")]).toEqual(["rejected", true, true]);
  });

  test.each([
    `${vendors}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
    "messages.1.content.0.thinking.signature: Extra inputs are not permitted",
    "messages.1.content.0.text.signature: Field required",
    "messages.1.content.0.thinking.thinking: Field required",
  ])("the host's words %j stay as they are", (words) => {
    expect(exceptionNamed("ValidationException", words, 400).message).toBe(words);
  });
});

describe("a region without room", () => {
  test.each([
    ["ThrottlingException", 429, true],
    ["ServiceQuotaExceededException", 400, true],
    ["ModelNotReadyException", 429, true],
    ["serviceUnavailableException", undefined, true],
    ["", 429, true],
    ["ValidationException", 400, false],
    ["AccessDeniedException", 403, false],
    ["ModelTimeoutException", 408, false],
    ["InternalServerException", 500, false],
  ])("the model host's %s with status %p says that the region has no room: %p", (name, status, lacksRoom) => {
    expect(exceptionNamed(name, "", status).lacksRoom).toBe(lacksRoom);
  });

  test("a failure before the model host was reached says nothing of the region's room", () => {
    const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
    expect(withoutSession(throttled)).toMatchObject({ failure: "throttled", lacksRoom: false });
    const unsent = () => throwConnectionFailure(new UnsentError("no connection"));
    expect(unsent).toThrow(expect.objectContaining({ failure: "unavailable", lacksRoom: false }));
  });
});

describe("the part for which the model host refused a request", () => {
  const partIn = (words: string) => rejection(words).refusedPart;

  const extra = ": Extra inputs are not permitted";
  const deep = "messages.3.content.1.cache_control.ephemeral.ttl";

  test.each([
    [`diagnostics${extra}`, ["diagnostics"]],
    [`tools.0.custom.x${extra}`, ["tools.0.custom.x"]],
    [`The model returned the following errors: ${deep}${extra}`, [deep]],
    [`${malformed}, please reformat your input and try again.`, ["diagnostics"]],
    [
      `The model returned the following errors: ${malformed}, please reformat your input and try again.`,
      ["diagnostics"],
    ],
    [malformed.replace("#", "#/messages/0"), ["messages.0.diagnostics"]],
    [`system.0.x${extra}\ntools.0.custom.y${extra}`, ["system.0.x", "tools.0.custom.y"]],
    [
      `${malformed}, #/tools/0: extraneous key [x] is not permitted, please reformat your input and try again.`,
      ["diagnostics", "tools.0.x"],
    ],
  ])("the model host's refusal names fields of the request: %j", (words, fields) =>
    expect(partIn(words)).toEqual({ fields }),
  );

  test("the model host's refusal names thinking that is bound to another conversation", () => {
    const words =
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set ...";
    expect(partIn(words)).toBe("thinking");
  });

  test.each(["invalid beta flag", "The model returned the following errors: Invalid beta flag"])(
    "the model host's refusal names a flag of the request: %j",
    (words) => expect(partIn(words)).toBe("flags"),
  );

  test.each([
    "diagnostics: Input should be a valid list",
    "Tool 'x' not found\ndiagnostics: Extra inputs are not permitted",
    "messages.0.content.0: Input tag 'tools.0.x: Extra inputs are not permitted' found using 'type' does not match",
    `a: Input should be valid, tools.0.x${extra}`,
    `a b${extra}`,
  ])("the model host's refusal names no part that could be left out: %j", (words) =>
    expect(partIn(words)).toBeUndefined(),
  );

  test("only a rejection of the request names the part that the model host refused", () => {
    const words = "diagnostics: Extra inputs are not permitted";
    expect(exceptionNamed("ValidationException", words, 400).refusedPart).toEqual({ fields: ["diagnostics"] });
    expect(exceptionNamed("ThrottlingException", words, 429).refusedPart).toBeUndefined();
    expect(exceptionNamed("ModelErrorException", words, 424).refusedPart).toBeUndefined();
  });
});
