// A local stack for its users: with what it starts, its addresses, its parts, and how to stop it.
import type { AgentCore } from "../emulators/agentcore/agentcore.ts";
import type { Calls } from "../emulators/aws/calls.ts";
import type { Credentials } from "../emulators/aws/credentials.ts";
import type { Faults } from "../emulators/aws/faults.ts";
import type { Bedrock } from "../emulators/bedrock/bedrock.ts";
import type { UpstreamOptions } from "../emulators/bedrock/upstream.ts";
import type { Clock } from "../emulators/clock.ts";
import type { Alarms } from "../emulators/cloudwatch/alarms.ts";
import type { Logs } from "../emulators/cloudwatch-logs/logs.ts";
import type { Cognito } from "../emulators/cognito/cognito.ts";
import type { DynamoDb } from "../emulators/dynamodb/dynamodb.ts";
import type { Schedules } from "../emulators/eventbridge/schedules.ts";
import type { Hosts } from "../emulators/hosts.ts";
import type { Iam } from "../emulators/iam/iam.ts";
import type { Kms } from "../emulators/kms/kms.ts";
import type { Functions } from "../emulators/lambda/functions.ts";
import type { QueuePoller } from "../emulators/lambda/queue-poller.ts";
import type { Mailbox } from "../emulators/mailbox.ts";
import type { PriceList } from "../emulators/model-lists/price-list.ts";
import type { S3 } from "../emulators/s3/s3.ts";
import type { Level } from "../emulators/sandbox/confinement.ts";
import type { Sandbox } from "../emulators/sandbox/level.ts";
import type { SecretsManager } from "../emulators/secrets-manager/secrets-manager.ts";
import type { Queues } from "../emulators/sqs/queues.ts";
import type { Stripe } from "../emulators/stripe/stripe.ts";
import type { Program } from "./program/program.ts";

export type LocalOptions = {
  /** 0 takes any free port. */
  port: number;
  /** Keeps everything in memory alone. */
  ephemeral?: boolean;
  /** The folder of the data; `.local` in the checkout unless given. */
  dataFolder?: string;
  /** The stack's file; `local/stack.yaml` unless given. */
  stackFile?: string;
  /** Values of the stack's configuration that differ, e.g. `archway:approval`; undefined leaves one out. */
  config?: Record<string, string | undefined>;
  /** Changes what the program declares before it is served: a test takes a right away. */
  change?: (program: Program) => void;
  /** A real Messages API behind the model host. */
  upstream?: UpstreamOptions;
  /** The level of the sandbox for scripts; the best that works here unless given. */
  sandbox?: Level;
  /** Is told what begins, in words for the person who waits. */
  onStep?: (step: string) => void;
};

/** A person of the demo workspace. */
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
  /** The console, as a browser finds it: `http://console.localhost:<port>`. */
  console: string;
  /** The connectors' origin, on a port of its own. */
  mcp: string;
  aws: string;
  /** The sandbox in which scripts run. */
  sandbox: Sandbox;
  program: Program;
  clock: Clock;
  calls: Calls;
  faults: Faults;
  bedrock: Bedrock;
  priceList: PriceList;
  functions: Functions;
  schedules: Schedules;
  queues: Queues;
  queuePoller: QueuePoller;
  dynamodb: DynamoDb;
  kms: Kms;
  secretsManager: SecretsManager;
  agentcore: AgentCore;
  hosts: Hosts;
  s3: S3;
  cognito: Cognito;
  mailbox: Mailbox;
  stripe: Stripe;
  logs: Logs;
  alarms: Alarms;
  iam: Iam;
  /** The keys that calls to AWS are signed with, and their owners. */
  credentials: Credentials;
  demo: Demo | undefined;
  /** The address of a host for a client that cannot resolve `*.localhost`, e.g. `at("acme.proxy")`. */
  at(name: string): string;
  /** Ends every worker and frees every port. */
  stop(): Promise<void>;
};
