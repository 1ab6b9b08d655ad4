// One call of Cognito's API: what it takes, whether it needs rights on the pool, and what it does.
import * as z from "zod";
import type { Pool } from "../pool.ts";

export type PoolOperation = {
  /** A call that a person's own device makes needs no AWS credentials. */
  unauthenticated: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each operation reads its own schema's output.
  input: z.ZodType<any>;
  // biome-ignore lint/suspicious/noExplicitAny: each operation reads its own schema's output.
  run(pool: Pool, input: any): unknown;
};

type Run<T extends z.ZodType> = (pool: Pool, input: z.output<T>) => unknown;

/** A call on the pool that IAM allows or refuses. Its `UserPoolId` is checked before it runs. */
export function poolOperation<T extends z.ZodRawShape>(
  shape: T,
  run: Run<z.ZodObject<T & { UserPoolId: z.ZodString }>>,
): PoolOperation {
  return { unauthenticated: false, input: z.strictObject({ UserPoolId: z.string(), ...shape }), run };
}

/** A call that anyone may make. */
export function openOperation<T extends z.ZodRawShape>(shape: T, run: Run<z.ZodObject<T>>): PoolOperation {
  return { unauthenticated: true, input: z.strictObject(shape), run };
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

/** One page of a list. The token is the number of entries on the pages before. */
export function pageOf<T>(all: T[], token: string | undefined, limit: number): { page: T[]; next: string | undefined } {
  const start = Number(token ?? 0);
  const end = start + limit;
  return { page: all.slice(start, end), next: end < all.length ? String(end) : undefined };
}
