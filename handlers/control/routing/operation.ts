// The type of an operation of the control plane. It follows from the route; HTTP and idempotency stay outside.
import type * as z from "zod";
import type { Creation } from "../../../domain/kernel/idempotency.ts";
import type { ControlCallers } from "../../middleware/caller.ts";
import type { Route } from "./route.ts";
import type { Body } from "./writers.ts";

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

export type ControlRequest<R extends Route> = {
  /** The caller that the route's access rule proves. */
  caller: ControlCallers[R["access"]];
  /** The parameters of the path, decoded. */
  parameters: Record<ParameterOf<R["path"]>, string>;
  query: R extends { query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
  body: R extends { body: Body<infer Schema> } ? z.output<Schema> : undefined;
  /** Versions in `If-Match`, of which the resource must have one; undefined if the call accepts any version. */
  ifMatch?: readonly string[] | undefined;
};

/** The answer that is sent with the route's status. */
export type Answer<R extends Route> = R extends { response: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** Returns the answer. An operation of an idempotent route checks the request and returns the `Creation` that is carried out after it. */
export type Operation<R extends Route> = (
  request: ControlRequest<R>,
) => Promise<R extends { idempotent: true } ? Creation<Answer<R>> : Answer<R>>;

/** The operations of a noun, one for each of its routes. */
export type Operations<Routes extends Record<string, Route>> = { [Name in keyof Routes]: Operation<Routes[Name]> };
