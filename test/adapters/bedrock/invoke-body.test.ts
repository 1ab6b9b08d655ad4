import { expect, test } from "@jest/globals";
import { invokeBody } from "../../../adapters/bedrock/invoke-body.ts";

test("the body for InvokeModel begins with the version and the flags, and keeps the request's fields unchanged", () => {
  const body = '{"max_tokens":1,"messages":[{"n":12345678901234567890,"é":"🏛"}]}';
  expect(invokeBody({ body, betas: [] }).toString()).toBe(`{"anthropic_version":"bedrock-2023-05-31",${body.slice(1)}`);
  expect(invokeBody({ body, betas: ["a", "é"] }).toString()).toBe(
    `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a","é"],${body.slice(1)}`,
  );
});

test("the caller's version stands in place of InvokeModel's own", () => {
  const sent = invokeBody({ body: '{"max_tokens":1}', betas: [], version: "2026-10-21" }).toString();
  expect(sent).toBe('{"anthropic_version":"2026-10-21","max_tokens":1}');
});
