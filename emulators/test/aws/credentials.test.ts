import { expect, test } from "@jest/globals";
import { Credentials } from "../../aws/credentials.ts";
import { aPrincipal } from "../support/declared-iam.ts";

test("issued keys look like temporary ones and lead to their principal", () => {
  const credentials = new Credentials();
  const principal = aPrincipal("proxy");
  const keys = credentials.issue(principal);
  expect(keys).toEqual({
    accessKeyId: expect.stringMatching(/^ASIA[0-9A-F]{16}$/),
    secretAccessKey: expect.stringMatching(/^.{40}$/),
    sessionToken: expect.any(String),
  });
  expect(credentials.find(keys.accessKeyId)?.principal).toBe(principal);
  expect(credentials.find("ASIA0000000000000000")).toBeUndefined();
});

test("any two issued keys differ, even for the same principal", () => {
  const credentials = new Credentials();
  const [first, second] = [credentials.issue(aPrincipal("proxy")), credentials.issue(aPrincipal("proxy"))];
  expect(first.accessKeyId).not.toBe(second.accessKeyId);
  expect(first.secretAccessKey).not.toBe(second.secretAccessKey);
});

test("expired keys are still found, so that they can be distinguished from unknown keys", () => {
  const credentials = new Credentials();
  const { accessKeyId } = credentials.issue(aPrincipal("proxy"), 1);
  expect(credentials.find(accessKeyId)).toMatchObject({ expiresAt: 1 });
});
