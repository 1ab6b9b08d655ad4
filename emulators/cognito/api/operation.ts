// The two kinds of call of Cognito's API: one on the pool, which needs rights, and one that anyone may make.
import * as z from "zod";
import { parsedInput } from "../../aws/input.ts";
import type { JsonOperation } from "../../aws/json-service.ts";
import { AwsError } from "../../aws/service.ts";
import type { Pool } from "../pool.ts";

/** The pool of a call, and the operation's name. */
export type PoolCall = { operation: string; pool: Pool };

export type PoolOperation = JsonOperation<PoolCall>;

type Run<T extends z.ZodType> = (pool: Pool, input: z.output<T>) => unknown;

const errorCode = "InvalidParameterException";

/** A call on the pool that IAM allows or refuses. */
export function poolOperation<T extends z.ZodRawShape>(
  shape: T,
  run: Run<z.ZodObject<T & { UserPoolId: z.ZodString }>>,
): PoolOperation {
  const input = z.strictObject({ UserPoolId: z.string(), ...shape });
  return {
    // A right is decided before the input is checked, also on a pool that does not exist.
    rights: (body, { operation, pool }) => {
      const { UserPoolId = "" } = body as { UserPoolId?: unknown };
      return [{ action: `cognito-idp:${operation}`, resource: pool.arn.replace(/[^/]+$/, String(UserPoolId)) }];
    },
    run: (body, { pool }) => {
      const parsed = parsedInput(input, body, errorCode);
      const { UserPoolId } = parsed as { UserPoolId: string };
      if (UserPoolId === pool.id) return run(pool, parsed);
      throw new AwsError("ResourceNotFoundException", `User pool ${UserPoolId} does not exist.`);
    },
  };
}

/** A call that a person's own device makes. It needs no AWS credentials. */
export function openOperation<T extends z.ZodRawShape>(shape: T, run: Run<z.ZodObject<T>>): PoolOperation {
  const input = z.strictObject(shape);
  return { rights: () => [], run: (body, { pool }) => run(pool, parsedInput(input, body, errorCode)) };
}

export const attributeList = z.array(z.strictObject({ Name: z.string(), Value: z.string().default("") }));

/** `[{ Name, Value }]` as a record. */
export function fromList(list: z.output<typeof attributeList> = []): Record<string, string> {
  return Object.fromEntries(list.map(({ Name, Value }) => [Name, Value]));
}

/** A record as `[{ Name, Value }]`. */
export function toList(attributes: Record<string, string>) {
  return Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
}

/** Times are seconds since the epoch in this protocol. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Returns one page of a list. The token is the number of entries on the pages before. */
export function pageOf<T>(all: T[], token: string | undefined, limit: number): { page: T[]; next: string | undefined } {
  const start = Number(token ?? 0);
  const end = start + limit;
  return { page: all.slice(start, end), next: end < all.length ? String(end) : undefined };
}
