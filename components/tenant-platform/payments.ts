// The payments: the function that sets up, shows and ends what workspaces have at the payment provider, with an alarm on usage that
// a workspace's end left unbilled. A stack without billing has none.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { paidAttributes } from "../../adapters/dynamodb/budget/allowance.record.ts";
import { records } from "../../adapters/dynamodb/records.ts";
import { ownerKinds } from "../../adapters/dynamodb/removal.ts";
import { paymentState } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { payments } from "../../handlers/payments/contract.ts";
import { alarmAbove, reportedMetric } from "../alarm.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { secretLink, sendLink, tableLink } from "../link.ts";
import type { Notices } from "./notices.ts";
import { recognitionKey } from "./recognition-key.ts";
import { trustTerms } from "./trust-terms.ts";

type PaymentsArgs = {
  config: StackConfig;
  stripe: NonNullable<StackConfig["stripe"]>;
  table: aws.dynamodb.Table;
  /** Undefined where the platform sends no mails. */
  notices: Notices | undefined;
};

/** The attributes of a tenant's row that it may name. */
const billingAttributes = [
  ...["pk", "sk", "setup_pending"],
  ...["stripe_customer_id", "stripe_subscription_id", "billing_slot", "version", ...paymentState],
];

export class Payments extends pulumi.ComponentResource {
  readonly function: LambdaFunction<typeof payments>;

  constructor(name: string, args: PaymentsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Payments", name, {}, opts);
    const { secretArn, markup, tax } = args.stripe;
    const ofNotices = args.notices ? (["notice"] as const) : [];
    this.function = new LambdaFunction(
      name,
      {
        contract: payments,
        environment: {
          TABLE_NAME: tableLink(args.table, {
            get: ["tenant", "manifest", "customer", "ownedTenants", "meterProgress", "total", ...ofNotices],
            batchGet: ["spending", "tenant"],
            query: ["user", "debtor"],
            put: ["audit", "debtor", ...ofNotices],
            update: ["manifest", "customer", "total", "card"],
            updateOnly: {
              tenant: billingAttributes,
              allowance: paidAttributes,
              ownedTenants: ["pk", "sk", "s#*", "t#*", "owned", "is_closing"],
              // The listing by status.
              directory: ["pk", "sk", "gsi1_pk", "gsi1_sk"],
            },
            delete: ownerKinds(records),
            condition: ["tenant", "customer"],
            activeIndex: ["spending"],
          }),
          STACK_NAME: pulumi.getStack(),
          STRIPE_SECRET_ARN: secretLink(secretArn),
          BILLING_MARKUP: String(markup),
          BILLING_TAX: tax,
          ...trustTerms(args.config),
          RECOGNITION_KEY: recognitionKey(args.config),
          ...(args.notices && { NOTICES_QUEUE_URL: sendLink(args.notices.due.queue) }),
        },
      },
      { parent: this },
    );
    const unbilled = { at: this.function.logGroup.name, metric: reportedMetric("payments", "usage_unbilled") };
    alarmAbove("payments-unbilled", unbilled, { parent: this });
    this.registerOutputs({});
  }
}
