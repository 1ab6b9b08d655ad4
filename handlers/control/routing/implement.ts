// Joins the routes with their operations. An operation that is missing, unknown or typed unlike its route does not compile.
import type { Creation } from "../../../domain/kernel/idempotency.ts";
import type { ControlCaller } from "../../middleware/caller.ts";
import type { Operations } from "./operation.ts";
import type { Route } from "./route.ts";

type Nouns = Record<string, Record<string, Route>>;

/** A request as its route read it, without the types of that route. */
export type AnyRequest = {
  caller: ControlCaller;
  parameters: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
  ifMatch?: readonly string[] | undefined;
};

/** A route together with its operation. */
export type Endpoint = Route &
  (
    | { idempotent: true; operate: (request: AnyRequest) => Promise<Creation> }
    | { idempotent?: never; operate: (request: AnyRequest) => Promise<unknown> }
  );

/** @param operations by noun and name, like the routes */
export function implement<Routes extends Nouns>(
  routes: Routes,
  operations: { [Noun in keyof Routes]: Operations<Routes[Noun]> },
): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const noun in routes) {
    for (const name in routes[noun]) {
      // The only cast: an endpoint has lost the types that its route and operation share. Requests are read by that same route,
      // so the operation still gets the types for which it was compiled.
      endpoints.push({ ...routes[noun][name], operate: operations[noun][name] } as Endpoint);
    }
  }
  return endpoints;
}
