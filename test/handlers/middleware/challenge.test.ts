import { describe, expect, test } from "@jest/globals";
import { Refusal, type RefusalCode } from "../../../domain/kernel/refusal.ts";
import { challenge } from "../../../handlers/middleware/challenge.ts";

const headerFor = (code: RefusalCode, message = "why") =>
  challenge("platform/control:manage")(new Refusal(code, message))["www-authenticate"];

describe("the challenge", () => {
  test("the challenge to a caller without a credential names no error, as RFC 6750 demands", () => {
    expect(headerFor("credential_missing")).toBe('Bearer scope="platform/control:manage"');
  });

  test.each(["credential_invalid", "credential_expired", "credential_ended"] as const)(
    "the challenge to a caller whose token is refused (%s) names the error",
    (code) => {
      expect(headerFor(code)).toBe('Bearer error="invalid_token", error_description="why"');
    },
  );

  test("the challenge to a caller whose token lacks a scope names the scope", () => {
    expect(headerFor("scope_missing")).toBe(
      'Bearer error="insufficient_scope", error_description="why", scope="platform/control:manage"',
    );
  });

  test("the challenge is sent only for refused credentials", () => {
    expect(headerFor("role_missing")).toBeUndefined();
    expect(headerFor("not_found")).toBeUndefined();
  });

  test("the challenge has a valid form, whatever characters the message contains", () => {
    expect(headerFor("credential_invalid", 'a "b" \\ c\r\nd é')).toBe(
      `Bearer error="invalid_token", error_description="a 'b' ' c''d '"`,
    );
  });
});
