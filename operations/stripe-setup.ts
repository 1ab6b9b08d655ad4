// Sets a Stripe account up for a stack: product, meters, prices, portal, webhook. Twice gives nothing new.
// The account's key comes as STRIPE_SECRET_KEY; AWS's credentials and region as AWS's tools take them.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { webhookSecrets } from "../adapters/secrets/payment-secret.ts";
import { setUpAccount } from "../adapters/stripe/account-setup.ts";
import { limits } from "../components/config.ts";

const usage =
  "Usage: STRIPE_SECRET_KEY=... npm run -s stripe:setup -- --stack Pulumi.<stack>.yaml [--secret ARN] [--address http://127.0.0.1:8787/@stripe]";

const { values } = parseArgs({
  options: { stack: { type: "string" }, secret: { type: "string" }, address: { type: "string" } },
});
const secretKey = process.env.STRIPE_SECRET_KEY;
if (!values.stack || !secretKey) throw new Error(usage);

const { config } = parse(readFileSync(values.stack, "utf8")) as { config: Record<string, unknown> };
const domain = String(config["archway:domain"]);
const { callbackUrls } = config["archway:console"] as { callbackUrls: string[] };
const secret = values.secret ?? (config["archway:stripe"] as { secretArn?: string } | undefined)?.secretArn;
if (!secret) throw new Error(`${values.stack} has no archway:stripe.secretArn`);
const { workspaces } = limits.parse(config["archway:limits"]);

const steps = await setUpAccount(
  { secretKey, address: values.address },
  {
    slots: workspaces,
    webhookUrl: `https://api.${domain}/v1/webhooks/stripe`,
    returnUrl: new URL(callbackUrls[0] ?? `https://api.${domain}`).origin,
    secrets: webhookSecrets(secret),
  },
);
for (const { what, id, outcome } of steps) console.log(`${outcome.padEnd(8)} ${what.padEnd(16)} ${id}`);
console.log(`
The webhook's secret is in ${secret}, and nowhere else.
What only the dashboard sets, in test and live mode each:
  Billing > Revenue recovery > Retries: a schedule of your choice, then "leave the subscription past-due" and the invoice open
  Billing > Subscriptions > Grace period for usage: 72 hours
With archway:tax automatic also: Tax > Registrations, and the preset tax code of your product.`);
