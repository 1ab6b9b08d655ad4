// How many cases the tests play that can play any number of them: few in `npm test`, many in `npm run test:long`, which sets
// ARCHWAY_LONG. Each number can also be given by an environment variable of its own.
import { test } from "@jest/globals";

/** Whether this is `npm run test:long`. */
export const isLong = process.env.ARCHWAY_LONG !== undefined;

/** A test of what a shorter one shows in part, or a rule's own unit tests do. `npm test` names it as skipped. */
export const longTest = isLong ? test : test.skip;

/** Of alike cases all, or the first few in `npm test`: the list begins with those that say most. */
export function few<T>(count: number, cases: readonly T[]): T[] {
  return isLong ? [...cases] : cases.slice(0, count);
}

function size(variable: string, few: number, many: number): number {
  return Number(process.env[variable] ?? (isLong ? many : few));
}

export const sizes = {
  /** Schedules of calls, deaths and delays in virtual time. */
  interleavings: size("ARCHWAY_INTERLEAVINGS", 150, 4_000),
  /** Schedules that a mutant of the product may survive before the interleavings count as blind to it. */
  mutantInterleavings: size("ARCHWAY_MUTANT_INTERLEAVINGS", 500, 20_000),
  /** Schedules of creations, deletions and purges at the payment provider. */
  subscriptions: size("ARCHWAY_SCHEDULES", 3, 24),
  /** Schedules of an hour's closing against late rows. */
  closings: size("ARCHWAY_CLOSING", 60, 2_000),
  /** Schedules of metering and reporting whose invoices are compared with the ledger. */
  billings: size("ARCHWAY_BILLING", 3, 1_000),
  /** Of these a mutant of the reporting may survive fewer than this. */
  mutantBillings: size("ARCHWAY_MUTANT_BILLING", 30, 100),
  /** Schedules of calls to Stripe of which each may fail before or after its effect. */
  stripeCalls: size("ARCHWAY_STRIPE_SCHEDULES", 8, 75),
  /** Faults of each act on a gateway; all that an act has are fewer than the many. */
  gatewayFaults: size("ARCHWAY_GATEWAY_FAULTS", 1, 1_000),
  /** Workspaces whose people sign in to their gateways. */
  gatewayTenants: size("ARCHWAY_GATEWAY_TENANTS", 3, 30),
  /** Requests with fields that the model host refuses at random. */
  healings: size("ARCHWAY_HEALINGS", 200, 1_000),
  /** Points at which the function that runs skills dies; all there are, are fewer than the many. */
  runnerDeaths: size("ARCHWAY_RUNNER_DEATHS", 4, 1_000),
  /** Schedules of requests and faults against a whole stack. */
  chaos: size("ARCHWAY_CHAOS", 4, 60),
  /** Streams of one caller at once. Each takes an instance of the proxy. */
  streams: size("ARCHWAY_STREAMS", 24, 60),
  /** Random requests to a whole stack. */
  fuzz: size("ARCHWAY_FUZZ", 250, 4_000),
  /** Tenants of a meter's jobs. */
  meterTenants: size("ARCHWAY_METER_TENANTS", 240, 1_200),
  /** Workspaces of a control plane: more than two pages of a list even when they are few. */
  workspaces: size("ARCHWAY_WORKSPACES", 210, 1_000),
  /** Random commands of each kind to the table in memory and to the local store. */
  storeCommands: size("ARCHWAY_STORE_COMMANDS", 120, 1_000),
  /** Random requests to the proxy in memory. */
  proxyRequests: size("ARCHWAY_PROXY_REQUESTS", 60, 2_000),
  /** Random states of a caller's spending against the rules. */
  spendingStates: size("ARCHWAY_SPENDING_STATES", 100, 2_000),
} as const;
