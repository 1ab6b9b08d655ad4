import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";
import { presentedCredentials } from "../../../handlers/middleware/credentials.ts";

const { key } = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);
const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

describe("what a request presents", () => {
  test("a request's credential may be in either header", () => {
    expect(presentedCredentials({ authorization: `Bearer ${token}` })).toEqual({ token, key: undefined });
    expect(presentedCredentials({ authorization: `bearer  ${key} ` })).toEqual({ token: undefined, key });
    expect(presentedCredentials({ "x-api-key": token })).toEqual({ token, key: undefined });
    expect(presentedCredentials({ "x-api-key": key })).toEqual({ token: undefined, key });
  });

  test("a request may present a token and a key, in any order", () => {
    const both = { token, key };
    expect(presentedCredentials({ authorization: `Bearer ${token}`, "x-api-key": key })).toEqual(both);
    expect(presentedCredentials({ authorization: `Bearer ${key}`, "x-api-key": token })).toEqual(both);
  });

  test("a request's credential is accepted beside a value of unknown kind", () => {
    expect(presentedCredentials({ authorization: `Bearer ${token}`, "x-api-key": "dummy" })).toMatchObject({ token });
    expect(presentedCredentials({ authorization: "Basic YTpi", "x-api-key": key })).toMatchObject({ key });
  });

  test.each([
    [{}, "credential_missing"],
    [{ "x-api-key": "" }, "credential_missing"],
    [{ "x-api-key": "dummy" }, "credential_invalid"],
    [{ authorization: "Bearer" }, "credential_invalid"],
    [{ authorization: "Basic YTpi" }, "credential_invalid"],
    [{ authorization: key }, "credential_invalid"],
  ])("the credentials %j are refused as %s", (headers, code) => {
    expect(() => presentedCredentials(headers)).toThrow(expect.objectContaining({ code }));
  });
});
