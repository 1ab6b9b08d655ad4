// A running local stack, as those see it who use it: its addresses, its parts, and the way to stop it.
import type { Calls } from "./calls.ts";
import type { Clock } from "./clock.ts";
import type { DynamoDb } from "./dynamodb/dynamodb.ts";
import type { Faults } from "./faults.ts";
import type { Functions } from "./functions.ts";
import type { Iam } from "./iam/iam.ts";
import type { Logs } from "./logs.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ModelHost } from "./model-host/model-host.ts";
import type { Program } from "./program.ts";
import type { Schedules } from "./schedules.ts";

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
  modelHost: ModelHost;
  functions: Functions;
  schedules: Schedules;
  dynamodb: DynamoDb;
  mailbox: Mailbox;
  logs: Logs;
  iam: Iam;
  demo: Demo | undefined;
  /** Where a host is for a client that cannot resolve `*.localhost`: `at("acme.proxy")`. */
  at(name: string): string;
  /** Ends every worker and frees every port. */
  stop(): Promise<void>;
};
