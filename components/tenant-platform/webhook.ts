// The function that receives the payment provider's events, with its own route of the API.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { paidAttributes } from "../../adapters/dynamodb/budget/allowance.record.ts";
import { paymentState } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { webhook } from "../../handlers/webhook/contract.ts";
import { alarmAbove, reportedMetric } from "../alarm.ts";
import { apiRoute } from "../api-route.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { secretLink, sendLink, tableLink } from "../link.ts";
import type { Notices } from "./notices.ts";
import { recognitionKey } from "./recognition-key.ts";
import { trustTerms } from "./trust-terms.ts";

type WebhookArgs = {
  config: StackConfig;
  stripe: NonNullable<StackConfig["stripe"]>;
  table: aws.dynamodb.Table;
  api: aws.apigatewayv2.Api;
  /** Undefined where the platform sends no mails. */
  notices: Notices | undefined;
};

export class Webhook extends pulumi.ComponentResource {
  constructor(
    name: string,
    { config, stripe, table, api, notices }: WebhookArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("archway:index:Webhook", name, {}, opts);
    const ofNotices = notices ? (["notice"] as const) : [];
    const fn = new LambdaFunction(
      name,
      {
        contract: webhook,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["paymentEvent", "customer", "ownedTenants", "tenant", ...ofNotices],
            batchGet: ["tenant"],
            query: ["debtor"],
            update: ["card"],
            put: ["paymentEvent", "audit", ...ofNotices],
            updateOnly: {
              customer: [
                "pk",
                "sk",
                "version",
                "has_payment_method",
                "tried_payment_method",
                "owes",
                "seen",
                "method_since",
                "promoted",
                "cards",
                "gsi2_pk",
                "gsi2_sk",
              ],
              tenant: ["pk", "sk", "version", ...paymentState],
              allowance: paidAttributes,
              // The listing by status. A tenant's listing by its address is an attribute of its own row.
              directory: ["pk", "sk", "gsi1_pk", "gsi1_sk"],
            },
            condition: ["customer"],
          }),
          STACK_NAME: pulumi.getStack(),
          STRIPE_SECRET_ARN: secretLink(stripe.secretArn),
          BILLING_TAX: stripe.tax,
          BILLING_MARKUP: String(stripe.markup),
          ...trustTerms(config),
          RECOGNITION_KEY: recognitionKey(config),
          ...(notices && { NOTICES_QUEUE_URL: sendLink(notices.due.queue) }),
        },
      },
      { parent: this },
    );
    const route = { routeKey: "POST /v1/webhooks/stripe", function: fn.function };
    apiRoute(name, { api, ...route }, { parent: this });
    const at = fn.logGroup.name;
    alarmAbove("webhook-unbilled", { at, metric: reportedMetric("webhook", "usage_unbilled") }, { parent: this });
    alarmAbove("webhook-refused", { at, metric: reportedMetric("webhook", "deliveries_refused") }, { parent: this });
    this.registerOutputs({});
  }
}
