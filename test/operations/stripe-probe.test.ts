// `npm run stripe:probe` on a local Stripe, which has either reading of each belief.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { probeAccount } from "../../adapters/stripe/account-probe.ts";
import { isAsAssumed } from "../../adapters/stripe/beliefs.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../emulators/test/support/local-stripe.ts";
import { compiledOnce } from "../support/runner/run-folder.ts";

let local: RunningStripe;
beforeEach(async () => {
  // The command goes by the machine's clock, and a test clock by the local Stripe's.
  local = await startStripe(new Date().toISOString());
  for (const slot of [1, 2]) await aMeteredPrice(local.sdk, slot);
});
afterEach(() => local.close());

function probe() {
  const options = { secretKey: "rk_test_local", address: local.url };
  return probeAccount(options, { now: local.clock.now(), wait: async () => {} });
}

/** Test clocks, customers and what is theirs. */
function left() {
  const { customers, testClocks, subscriptions, checkoutSessions } = local.stripe.account;
  return [
    customers.all().filter(({ deleted }) => !deleted),
    testClocks.all(),
    subscriptions.all().filter(({ ended_at }) => ended_at === null),
    checkoutSessions.all().filter(({ status }) => status === "open"),
  ].flat();
}

test("npm run stripe:probe writes a dated page with an answer for each belief, and leaves nothing behind in the account", async () => {
  const folder = mkdtempSync(join(tmpdir(), "archway-probe-"));
  local.stripe.configure({ grace_seconds: 72 * 3_600 });
  try {
    const out = join(folder, "stripe.md");
    const child = spawn(process.execPath, ["operations/stripe-probe.ts", "--out", out, "--address", local.url], {
      env: { ...compiledOnce, PATH: process.env.PATH, STRIPE_SECRET_KEY: "rk_test_local" },
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    expect([child.exitCode, errors]).toEqual([0, ""]);
    expect(output).toContain(`15 of 15 answers are as assumed. All are in ${out}.`);
    const page = readFileSync(out, "utf8");
    expect(page).toMatch(/^# What Stripe answers, \d{4}-\d\d-\d\d$/m);
    expect(page.match(/^\| .*\?/gm)).toHaveLength(15);
    expect(page).not.toContain("**");
    expect(left()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  [{ last_value_by: "received" }, "the one that was received last"],
  [{ whole_units: true }, "no"],
  [{ first_hour_counts: false }, "no"],
  [{ drafts_take_usage: "grace" }, "for the account's own time"],
  [{ cancel_leaves: "final" }, "a final invoice"],
  [{ cancel_leaves: "nothing" }, "no invoice"],
  [{ grace_seconds: 3_600 }, "1"],
  [{ begins_without_method: false }, "refused: resource_missing"],
  [{ drafts_without_usage: false }, "no"],
  [{ held_drafts: "never_final" }, "no"],
  [{ held_drafts: "final_as_before", grace_seconds: 71 * 3_600 }, "71", "no", "for the account's own time"],
  [{ items_below_zero: false }, "refused: StripeInvalidRequestError"],
  [{ cancel_makes_others: "uncollectible" }, "uncollectible", "uncollectible"],
  [{ setup_updates_customer: false }, "refused: StripeInvalidRequestError"],
])("npm run stripe:probe recognizes the other reading of Stripe's rules: %j", async (settings, ...answers) => {
  local.stripe.configure({ grace_seconds: 72 * 3_600, ...settings });
  // A customer on a clock that a run left which was cut off.
  const frozen_time = Math.ceil(local.clock.now() / 1000);
  await local.sdk.testHelpers.testClocks.create({ frozen_time, name: "Archway probe" });
  const others = (await probe()).filter((one) => !isAsAssumed(one));
  expect(others.map(({ found }) => found)).toEqual(answers);
  expect(left()).toEqual([]);
});

test("npm run stripe:probe says what a local stack with an advanced clock cannot answer, and says first if the page cannot be written", async () => {
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, ["operations/stripe-probe.ts", ...args], {
      env: { ...compiledOnce, PATH: process.env.PATH, STRIPE_SECRET_KEY: "rk_test_local" },
    });
    const [errors] = await Promise.all([text(child.stderr), once(child, "close")]);
    return [child.exitCode, errors];
  };
  const address = ["--address", local.url];
  expect(await run("--out", "/nowhere/page.md", ...address)).toEqual([1, expect.stringMatching(/^ENOENT: .*\n$/)]);
  expect(await run("--what")).toEqual([1, expect.stringMatching(/^Unknown option '--what'.*\n$/)]);
  local.clock.advance(60 * 24 * 3_600_000);
  const out = join(tmpdir(), "archway-probe-never.md");
  expect(await run("--out", out, ...address)).toEqual([
    1,
    expect.stringMatching(/^The local stack's clock is at .*\n$/),
  ]);
});

test.each(["checkout.sessions.create", "invoices.update", "customers.del"])(
  "npm run stripe:probe leaves nothing behind if %s fails",
  async (operation) => {
    local.fail({ service: "stripe", operation, kind: "error", when: "before" });
    await expect(probe()).rejects.toThrow();
    expect(left()).toEqual([]);
  },
);

test("npm run stripe:probe refuses live accounts, and accounts without setup", async () => {
  const waiting = { now: local.clock.now(), wait: async () => {} };
  const live = { secretKey: ["rk", "live", "x"].join("_"), address: local.url };
  await expect(probeAccount(live, waiting)).rejects.toThrow("test mode");
  const bare = await startStripe();
  try {
    const options = { secretKey: "rk_test_local", address: bare.url };
    await expect(probeAccount(options, waiting)).rejects.toThrow("run stripe:setup");
    expect(bare.stripe.account.testClocks.all()).toEqual([]);
  } finally {
    await bare.close();
  }
});
