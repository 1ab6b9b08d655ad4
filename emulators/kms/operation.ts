// The two kinds of operation of the emulated KMS: one on the key that its input names, and any other.
import * as z from "zod";
import { parsedInput } from "../aws/input.ts";
import { type JsonOperation, jsonOperation } from "../aws/json-service.ts";
import { type Authorization, AwsError } from "../aws/service.ts";
import type { Context } from "../iam/requesting-principal.ts";
import type { KmsKey, KmsKeys } from "./keys.ts";

/** A call's operation and region, and the keys that it works on. `now` is in milliseconds since the epoch. */
export type KmsCall = { operation: string; region: string; now: number; keys: KmsKeys };

export type KmsOperation = JsonOperation<KmsCall>;

const errorCode = "ValidationException";

export function operation<Input extends z.ZodType>(
  input: Input,
  rights: (input: z.output<Input>, call: KmsCall) => Authorization[],
  run: (input: z.output<Input>, call: KmsCall) => unknown,
): KmsOperation {
  return jsonOperation(errorCode, input, rights, run);
}

/** An operation on the key that `KeyId` names, which needs the right of its own name on that key. */
export function onKey<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (key: KmsKey, input: z.output<z.ZodObject<Shape>>, call: KmsCall) => unknown,
  context: (input: z.output<z.ZodObject<Shape>>) => Context = () => ({}),
): KmsOperation {
  const rest = z.strictObject(shape);
  const named = (body: unknown, call: KmsCall) => {
    const { KeyId, ...others } = parsedInput(z.looseObject({ KeyId: keyId }), body, errorCode);
    return { key: call.keys.find(KeyId, call.region), input: parsedInput(rest, others, errorCode) };
  };
  return {
    rights: (body, call) => {
      const { key, input } = named(body, call);
      return [rightOn(key, call, context(input))];
    },
    run: (body, call) => {
      const { key, input } = named(body, call);
      return run(key, input, call);
    },
  };
}

export const keyId = z.string().min(1).max(2048);

/** The right of the operation's own name on a key, whose tags are part of the context. */
export function rightOn(key: KmsKey, { operation }: Pick<KmsCall, "operation">, context: Context = {}): Authorization {
  const tags = Object.entries(key.tags).map(([name, value]) => [`aws:ResourceTag/${name}`, value]);
  return { action: `kms:${operation}`, resource: key.arn, context: { ...Object.fromEntries(tags), ...context } };
}

/** @throws AwsError KMSInvalidStateException for a key that waits for its deletion. */
export function notPending(key: KmsKey): KmsKey {
  if (key.state !== "PendingDeletion") return key;
  throw new AwsError("KMSInvalidStateException", `${key.arn} is pending deletion.`);
}
