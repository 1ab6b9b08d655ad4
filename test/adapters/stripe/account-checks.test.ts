import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { checkAccount } from "../../../adapters/stripe/account-checks.ts";
import { type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";

let local: RunningStripe;
beforeEach(async () => {
  local = await startStripe();
});
afterEach(() => local.close());

const checked = async (isTaxed: boolean) => {
  const checks = await checkAccount({ secretKey: "sk_test_local", address: local.url }, { isTaxed });
  return checks.map(({ isRight }) => isRight);
};

test("missing settings of the Stripe account are reported, for tax only if the stack computes it", async () => {
  expect([await checked(false), await checked(true)]).toEqual([
    [true, true, true],
    [true, true, true, true, true],
  ]);
  local.stripe.configure({ is_complete: false });
  expect(await checked(true)).toEqual([true, true, false, false, false]);
});
