import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { credentialKind, credentialsAmong } from "../../../domain/access/credential.ts";
import { mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";

const { key } = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);
const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

describe("what a value is", () => {
  test("is told by its prefix", () => {
    expect(credentialKind(key)).toBe("key");
    expect(credentialKind(mintApiKey("test", mintApiKeyId(randomBytes), randomBytes).key)).toBe("key");
    expect(credentialKind(token)).toBe("token");
  });

  test.each(["", "sk-ant-123", "ar_live_123", `${key}x`, "a.b.c", "eyJ.b", `${token}.more`])(
    "%p is neither key nor token",
    (value) => {
      expect(credentialKind(value)).toBe("unknown");
    },
  );
});

describe("what is presented", () => {
  test("is one credential of each kind, in any order", () => {
    expect(credentialsAmong([token, key])).toEqual({ token, key });
    expect(credentialsAmong([key, token])).toEqual({ token, key });
  });

  test("counts beside a value of unknown kind, which is nothing alone", () => {
    expect(credentialsAmong([token, "dummy"])).toEqual({ token, key: undefined });
    expect(credentialsAmong(["dummy"])).toBeUndefined();
    expect(credentialsAmong([])).toBeUndefined();
  });
});
