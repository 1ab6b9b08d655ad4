// How an operation of the emulated KMS is written: its input, the rights it needs, its effect.
import * as z from "zod";
import { type Authorization, AwsError } from "../aws/service.ts";
import type { Context } from "../iam/requesting-principal.ts";
import type { KmsKey, KmsKeys } from "./keys.ts";

/** Where a call runs. */
export type Place = { operation: string; region: string; now: number; keys: KmsKeys };

export type KmsOperation = {
  rights(body: unknown, place: Place): Authorization[];
  /** The answer's members, or nothing. */
  run(body: unknown, place: Place): unknown;
};

/** An operation over whatever its input names. */
export function operation<Input extends z.ZodType>(
  input: Input,
  rights: (input: z.output<Input>, place: Place) => Authorization[],
  run: (input: z.output<Input>, place: Place) => unknown,
): KmsOperation {
  return {
    rights: (body, place) => rights(parsed(input, body), place),
    run: (body, place) => run(parsed(input, body), place),
  };
}

/** An operation on the key that `KeyId` names, which needs the right of its own name on that key. */
export function onKey<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (key: KmsKey, input: z.output<z.ZodObject<Shape>>, place: Place) => unknown,
  context: (input: z.output<z.ZodObject<Shape>>) => Context = () => ({}),
): KmsOperation {
  const rest = z.strictObject(shape);
  const named = (body: unknown, place: Place) => {
    const { KeyId, ...others } = parsed(z.looseObject({ KeyId: keyId }), body);
    return { key: place.keys.find(KeyId, place.region), input: parsed(rest, others) };
  };
  return {
    rights: (body, place) => {
      const { key, input } = named(body, place);
      return [rightOn(key, place, context(input))];
    },
    run: (body, place) => {
      const { key, input } = named(body, place);
      return run(key, input, place);
    },
  };
}

export const keyId = z.string().min(1).max(2048);

/** The right of the operation's own name on a key, whose tags are part of the context. */
export function rightOn(key: KmsKey, { operation }: Place, context: Context = {}): Authorization {
  const tags = Object.entries(key.tags).map(([name, value]) => [`aws:ResourceTag/${name}`, value]);
  return { action: `kms:${operation}`, resource: key.arn, context: { ...Object.fromEntries(tags), ...context } };
}

/** @throws AwsError KMSInvalidStateException for a key that waits for its deletion */
export function notPending(key: KmsKey): KmsKey {
  if (key.state === "PendingDeletion") throw invalidState(key);
  return key;
}

export function invalidState(key: KmsKey): AwsError {
  const state = key.state === "PendingDeletion" ? "pending deletion" : key.state.toLowerCase();
  return new AwsError("KMSInvalidStateException", `${key.arn} is ${state}.`);
}

export function invalid(message: string): AwsError {
  return new AwsError("ValidationException", message);
}

function parsed<Input extends z.ZodType>(input: Input, body: unknown): z.output<Input> {
  const result = input.safeParse(body);
  if (result.success) return result.data;
  throw invalid(result.error.issues.map(problemOf).join("; "));
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `the local stack does not carry out ${issue.keys.join(", ")}`;
  return `${issue.path.join(".")}: ${issue.message}`;
}
