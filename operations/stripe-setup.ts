// Sets a Stripe account up for a stack: product, meters, prices, portal, webhook. Twice gives nothing new. Then it checks what the dashboard has.
// The account's key comes as STRIPE_SECRET_KEY; AWS's credentials and region as AWS's tools take them.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { webhookSecrets } from "../adapters/secrets/payment-secret.ts";
import { checkAccount } from "../adapters/stripe/account-checks.ts";
import { setUpAccount } from "../adapters/stripe/account-setup.ts";
import { limits } from "../components/config.ts";
import "./plain-errors.ts";

const usage =
  "Usage: STRIPE_SECRET_KEY=... npm run -s stripe:setup -- --stack Pulumi.<stack>.yaml [--secret ARN] [--new-webhook] [--address http://127.0.0.1:8787/@stripe]";

const { values } = parseArgs({
  options: {
    stack: { type: "string" },
    secret: { type: "string" },
    address: { type: "string" },
    "new-webhook": { type: "boolean" },
  },
});
const secretKey = process.env.STRIPE_SECRET_KEY;
if (!values.stack || !secretKey) throw new Error(usage);

const { config } = parse(readFileSync(values.stack, "utf8")) as { config: Record<string, unknown> };
const domain = String(config["archway:domain"]);
const billing = config["archway:stripe"] as { secretArn?: string; tax?: string } | undefined;
const secret = values.secret ?? billing?.secretArn;
if (!secret) throw new Error(`${values.stack} has no archway:stripe.secretArn`);
const { workspaces } = limits.parse(config["archway:limits"]);

const steps = await setUpAccount(
  { secretKey, address: values.address },
  {
    slots: workspaces,
    webhookUrl: `https://api.${domain}/v1/webhooks/stripe`,
    secrets: webhookSecrets(secret),
    isWebhookReplaced: values["new-webhook"],
  },
);
for (const { what, id, outcome } of steps) console.log(`${outcome.padEnd(8)} ${what.padEnd(16)} ${id}`);
const checks = await checkAccount({ secretKey, address: values.address }, { isTaxed: billing?.tax === "automatic" });
console.log("\nWhat the dashboard has, as far as an API shows it:");
for (const { what, isRight, where } of checks) {
  console.log(isRight ? `right    ${what}` : `MISSING  ${what}: ${where}`);
}
console.log(`
The webhook's secret is in ${secret}, and nowhere else.
What only the dashboard sets and no API shows, in test and live mode each:
  Billing > Revenue recovery > Retries: a schedule of your choice, then "leave the subscription past-due" and the invoice open
  Billing > Revenue recovery > Emails: off for failed payments and for payments that need confirmation, of which this platform mails itself
    (on, if the stack has no archway:mail)
  Billing > Subscriptions > Grace period for usage: 72 hours
  Settings > Customer emails > Successful payments and refunds: on, so that receipts are mailed
  Billing > Invoices > Email finalized invoices: off, as above; on, if people want the PDF in their mail
  Settings > Branding: logo and colours of invoices, Checkout and portal
With archway:stripe's tax automatic also: the preset tax code of your product (Tax > Settings).`);
