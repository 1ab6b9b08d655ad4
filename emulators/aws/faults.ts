// Faults for tests and readers: the nth call of an operation fails, stalls or is cut off.
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { cancelled, conflict } from "../dynamodb/cancellation.ts";
import { AwsError } from "./service.ts";

const conflicting = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"];

const faultSchema = z
  .strictObject({
    /** The signing name, e.g. `dynamodb`. */
    service: z.string().min(1),
    operation: z.string().min(1),
    /** A text that the body must contain for a call to count. */
    match: z.string().min(1).optional(),
    /** The first call to strike, from 1, counted from when the fault was put. */
    nth: z.int().min(1).default(1),
    /** How many calls to strike, one after another. */
    times: z.int().min(1).default(1),
    /** Whether to strike before the call's effect, or after it, so that only the answer is lost. */
    when: z.enum(["before", "after"]),
    kind: z.enum(["error", "throttle", "conflict", "hang", "cut", "delay"]),
    code: z.string().min(1).optional(),
    status: z.int().min(400).max(599).optional(),
    milliseconds: z.int().min(1).optional(),
  })
  .superRefine((fault, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const { kind, service, operation } = fault;
    if (kind === "delay" && fault.milliseconds === undefined) problem("milliseconds", "is needed for a delay");
    if (kind !== "delay" && fault.milliseconds !== undefined) problem("milliseconds", "is for a delay only");
    if (kind !== "error" && (fault.code ?? fault.status) !== undefined) {
      problem(fault.code === undefined ? "status" : "code", "is for an error only");
    }
    if (kind === "conflict" && (service !== "dynamodb" || !conflicting.includes(operation))) {
      problem("kind", `conflict is for dynamodb's ${conflicting.join(", ")} only`);
    }
    if (kind === "conflict" && fault.when === "after") problem("when", "a conflict has no effect that it could follow");
  });

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema>;
export type FaultState = Fault & {
  /** The number of calls that the fault will still strike. */
  left: number;
  struck: number;
  /** The number of calls that hang now: whose callers are there and have no answer. A caller that is killed leaves a moment later. */
  hanging: number;
};

type Armed = { fault: Fault; seen: number; struck: number; hanging: number; released: AbortController };

/** Asks to destroy the connection without an answer. */
export class ConnectionCut extends Error {}

export class Faults {
  #armed: Armed[] = [];

  /**
   * Replaces all faults. Calls that hang go on as if nothing had happened.
   * @throws Error that names every wrong field, e.g. `0.nth`.
   */
  put(list: unknown): void {
    const parsed = z.array(faultSchema).safeParse(list);
    if (!parsed.success) throw new Error(parsed.error.issues.map(problemOf).join("; "));
    this.clear();
    this.#armed = parsed.data.map((fault) => ({
      fault,
      seen: 0,
      struck: 0,
      hanging: 0,
      released: new AbortController(),
    }));
  }

  list(): FaultState[] {
    return this.#armed.map(({ fault, struck, hanging }) => ({ ...fault, left: fault.times - struck, struck, hanging }));
  }

  /** Removes all faults. Calls that hang go on as if nothing had happened. */
  clear(): void {
    for (const { released } of this.#armed) released.abort();
    this.#armed = [];
  }

  /** Counts a call and gives the fault that it meets. If it meets several, the first one of the list strikes. */
  take(service: string, operation: string, body: Buffer | string): MatchedFault | undefined {
    let met: Armed | undefined;
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (fault.service !== service || fault.operation !== operation) continue;
      if (fault.match !== undefined && !body.includes(fault.match)) continue;
      armed.seen += 1;
      if (!met && armed.seen >= fault.nth && armed.struck < fault.times) met = armed;
    }
    if (!met) return undefined;
    met.struck += 1;
    const armed = met;
    const { when, kind } = met.fault;
    return { when, kind, strike: (left) => strike(armed, body, left) };
  }
}

/** A fault that meets a call. */
export type MatchedFault = Pick<Fault, "when" | "kind"> & {
  /**
   * Carries out the fault, and returns if the call is to go on.
   * @param left fires when the caller leaves, which ends a wait.
   * @throws AwsError to answer with, or ConnectionCut.
   */
  strike(left: AbortSignal): Promise<void>;
};

async function strike(armed: Armed, body: Buffer | string, left: AbortSignal): Promise<void> {
  const { fault } = armed;
  const { kind, milliseconds } = fault;
  if (kind === "cut") throw new ConnectionCut();
  if (kind === "delay") return waitUnless(left, () => delay(milliseconds, undefined, { signal: left }));
  if (kind === "hang") return hang(armed, left);
  throw errorOf(fault, body);
}

async function hang(armed: Armed, left: AbortSignal): Promise<void> {
  armed.hanging += 1;
  try {
    await waitUnless(left, () => aborted(AbortSignal.any([armed.released.signal, left])));
  } finally {
    armed.hanging -= 1;
  }
}

async function waitUnless(left: AbortSignal, wait: () => Promise<unknown>): Promise<void> {
  await wait().catch(() => {});
  if (left.aborted) throw new ConnectionCut();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function errorOf({ kind, service, operation, code, status }: Fault, body: Buffer | string): AwsError {
  if (kind === "throttle") {
    if (service === "dynamodb") {
      return new AwsError("ProvisionedThroughputExceededException", "The level of configured throughput was exceeded.");
    }
    return new AwsError("ThrottlingException", "Rate exceeded", service.startsWith("bedrock") ? 429 : 400);
  }
  if (kind === "conflict") return conflictOf(operation, body);
  return new AwsError(code ?? "InternalServerError", "Injected fault", status ?? (code === undefined ? 500 : 400));
}

function conflictOf(operation: string, body: Buffer | string): AwsError {
  if (!operation.startsWith("Transact")) return new AwsError("TransactionConflictException", conflict.Message);
  const { TransactItems } = JSON.parse(String(body)) as { TransactItems: unknown[] };
  return cancelled(TransactItems.map(() => conflict));
}

function problemOf(issue: z.core.$ZodIssue): string {
  const path = issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys] : issue.path;
  return `${path.join(".") || "faults"}: ${issue.message}`;
}
