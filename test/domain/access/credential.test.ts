import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import {
  credentialKind,
  credentialsAmong,
  invalidCredential,
  KeySetUnavailable,
} from "../../../domain/access/credential.ts";
import { mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";

const { key } = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);
const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

describe("what a value is", () => {
  test("the kind of a credential is recognized by its prefix", () => {
    expect(credentialKind(key)).toBe("key");
    expect(credentialKind(mintApiKey("test", mintApiKeyId(randomBytes), randomBytes).key)).toBe("key");
    expect(credentialKind(token)).toBe("token");
    expect(credentialKind(`eyJar_live_${token}`)).toBe("token");
  });

  test.each(["", "sk-ant-123", "ar_live_123", `${key}x`, "a.b.c", "eyJ.b", `${token}.more`])(
    "the credential %p is neither an API key nor a token",
    (value) => {
      expect(credentialKind(value)).toBe("unknown");
    },
  );
});

describe("what is presented", () => {
  test("a request can have at most one credential of each kind, in any order", () => {
    expect(credentialsAmong([token, key])).toEqual({ token, key });
    expect(credentialsAmong([key, token])).toEqual({ token, key });
  });

  test("a credential is accepted beside a value of unknown kind, and such a value by itself is no credential", () => {
    expect(credentialsAmong([token, "dummy"])).toEqual({ token, key: undefined });
    expect(credentialsAmong(["dummy"])).toBeUndefined();
    expect(credentialsAmong([])).toBeUndefined();
  });
});

test("a refusal of a credential keeps its cause for the log", () => {
  const cause = new Error("no key of this id");
  expect(invalidCredential(cause).cause).toBe(cause);
  expect(new KeySetUnavailable(cause).cause).toBe(cause);
});
