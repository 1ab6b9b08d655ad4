// An operation of the control plane as its handler sees it: typed by its route, with HTTP left outside.
import type { z } from "zod";
import type { Member, SignedIn } from "../middleware/caller.ts";
import type { routes } from "./routes.ts";

export type OperationName = keyof typeof routes;
type RouteOf<N extends OperationName> = (typeof routes)[N];

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;
type Parsed<Route, Part extends string> =
  Route extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

export type ControlRequest<N extends OperationName> = {
  caller: RouteOf<N>["access"] extends "signed_in" ? SignedIn : Member;
  /** Of the path, decoded. */
  parameters: Record<ParameterOf<RouteOf<N>["path"]>, string>;
  query: Parsed<RouteOf<N>, "query">;
  body: Parsed<RouteOf<N>, "body">;
  /** Of the header `Idempotency-Key`. */
  idempotencyKey: string | undefined;
};

/** What the operation answers with the route's status. */
export type Answer<N extends OperationName> =
  RouteOf<N> extends { response: infer Schema extends z.ZodType } ? z.input<Schema> : undefined;

export type Operation<N extends OperationName> = (request: ControlRequest<N>) => Promise<Answer<N>>;
export type Operations = { [N in OperationName]: Operation<N> };
