import { expect, test } from "@jest/globals";
import { newTotpSecret, stepOfCode, totp } from "../../../cognito/people/totp.ts";

/** "12345678901234567890", the key of RFC 6238's vectors, in base 32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

// RFC 6238, appendix B, the rows of SHA-1: its codes have eight digits, of which these are the last six.
test.each([
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"],
])("an authenticator app shows, %i seconds after the epoch, the code %s", (seconds, code) => {
  expect(totp(secret, seconds * 1000)).toBe(code);
});

test("an app's code is accepted up to thirty seconds before and after its time", () => {
  const now = 1234567890_000;
  const step = Math.floor(now / 30_000);
  expect([-30, 0, 30].map((seconds) => stepOfCode(secret, totp(secret, now + seconds * 1000), now))).toEqual([
    step - 1,
    step,
    step + 1,
  ]);
  for (const seconds of [-60, 60]) {
    expect(stepOfCode(secret, totp(secret, now + seconds * 1000), now)).toBeUndefined();
  }
});

test("an app's secret has 256 random bits in base 32", () => {
  const [one, other] = [newTotpSecret(), newTotpSecret()];
  expect(one).toMatch(/^[A-Z2-7]{52}$/);
  expect(one).not.toBe(other);
});
