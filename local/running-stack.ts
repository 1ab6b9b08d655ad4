// A running local stack, as those see it who use it: its addresses, its parts, and the way to stop it.
import type { Calls } from "./aws/calls.ts";
import type { Credentials } from "./aws/credentials.ts";
import type { Faults } from "./aws/faults.ts";
import type { Bedrock } from "./bedrock/bedrock.ts";
import type { Clock } from "./clock.ts";
import type { Logs } from "./cloudwatch-logs/logs.ts";
import type { Mailbox } from "./cognito/mailbox.ts";
import type { DynamoDb } from "./dynamodb/dynamodb.ts";
import type { Schedules } from "./eventbridge/schedules.ts";
import type { Iam } from "./iam/iam.ts";
import type { Functions } from "./lambda/functions.ts";
import type { QueuePoller } from "./lambda/queue-poller.ts";
import type { Program } from "./program/program.ts";
import type { SecretsManager } from "./secrets-manager/secrets-manager.ts";
import type { Queues } from "./sqs/queues.ts";
import type { Stripe } from "./stripe/stripe.ts";

/** Someone of the demo workspace. */
export type Person = { email: string; password: string; sub: string };

export type Demo = {
  tenant_id: string;
  slug: string;
  api_key: string;
  owner: Person;
  developer: Person;
  platform_admin: Person;
};

export type Stack = {
  /** `http://127.0.0.1:<port>` */
  edge: string;
  aws: string;
  program: Program;
  clock: Clock;
  calls: Calls;
  faults: Faults;
  bedrock: Bedrock;
  functions: Functions;
  schedules: Schedules;
  queues: Queues;
  queuePoller: QueuePoller;
  dynamodb: DynamoDb;
  mailbox: Mailbox;
  stripe: Stripe;
  secrets: SecretsManager;
  logs: Logs;
  iam: Iam;
  /** Whose keys the calls to AWS are signed with. */
  credentials: Credentials;
  demo: Demo | undefined;
  /** Where a host is for a client that cannot resolve `*.localhost`: `at("acme.proxy")`. */
  at(name: string): string;
  /** Ends every worker and frees every port. */
  stop(): Promise<void>;
};
