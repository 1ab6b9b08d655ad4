// Asks a Stripe test account what the product assumes of Stripe, and writes the answers to a dated page.
// A key of test mode comes as STRIPE_SECRET_KEY. It takes some minutes, since Stripe's test clocks take theirs.
import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { probeAccount } from "../adapters/stripe/account-probe.ts";
import { isAsAssumed, probePage } from "../adapters/stripe/beliefs.ts";
import "./plain-errors.ts";

const { values } = parseArgs({ options: { out: { type: "string" }, address: { type: "string" } } });
const secretKey = process.env.STRIPE_SECRET_KEY;
if (!secretKey) throw new Error("Usage: STRIPE_SECRET_KEY=rk_test_... npm run -s stripe:probe -- [--out FILE]");

const date = new Date().toISOString().slice(0, 10);
const file = values.out ?? `stripe-${date}.md`;
// Minutes of questions must not end in a page that cannot be written.
accessSync(dirname(file), constants.W_OK);
const findings = await probeAccount(
  { secretKey, address: values.address },
  // Another address than Stripe's own is a local one, which answers at once.
  { now: Date.now(), wait: (milliseconds) => setTimeout(values.address === undefined ? milliseconds : 0) },
);
writeFileSync(file, probePage(findings, date));
const others = findings.filter((one) => !isAsAssumed(one));
for (const { question, assumed, found } of others) console.log(`${question} Assumed: ${assumed}. Found: ${found}.`);
console.log(`${findings.length - others.length} of ${findings.length} answers are as assumed. All are in ${file}.`);
