// An operation of the control plane: typed by its route, with HTTP and idempotency left outside.
import type * as z from "zod";
import type { Creation } from "../../../domain/kernel/idempotency.ts";
import type { ControlCallers } from "../../middleware/caller.ts";
import type { Route } from "./route.ts";

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;
type Parsed<R, Part extends string> =
  R extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

export type ControlRequest<R extends Route> = {
  /** As far as the route's access rule proves it. */
  caller: ControlCallers[R["access"]];
  /** Of the path, decoded. */
  parameters: Record<ParameterOf<R["path"]>, string>;
  query: Parsed<R, "query">;
  body: Parsed<R, "body">;
  /** Versions of which the thing must have one, by `If-Match`; none if any will do. */
  ifMatch?: readonly string[] | undefined;
};

/** What goes out with the route's status. */
export type Answer<R extends Route> = R extends { response: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** Gives the answer; if the route is idempotent it checks what may refuse the request, and gives what then creates. */
export type Operation<R extends Route> = (
  request: ControlRequest<R>,
) => Promise<R extends { idempotent: true } ? Creation<Answer<R>> : Answer<R>>;

/** One for each route of a noun. */
export type Operations<Routes extends Record<string, Route>> = { [Name in keyof Routes]: Operation<Routes[Name]> };
