// Joins the routes with their operations: one that is missing, unknown or of other types than its route does not compile.
import type { Creation } from "../../../domain/kernel/idempotency.ts";
import type { ControlCaller } from "../../middleware/caller.ts";
import type { Operations } from "./operation.ts";
import type { Route } from "./route.ts";

type Nouns = Record<string, Record<string, Route>>;

/** A request as its route read it, where it no longer matters which route that is. */
export type AnyRequest = {
  caller: ControlCaller;
  parameters: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
  ifMatch?: readonly string[] | undefined;
};

/** A route together with what carries it out. */
export type Endpoint = Route &
  (
    | { idempotent: true; operate: (request: AnyRequest) => Promise<Creation> }
    | { idempotent?: never; operate: (request: AnyRequest) => Promise<unknown> }
  );

/** @param operations by noun and name, as the routes are. */
export function implement<Routes extends Nouns>(
  routes: Routes,
  operations: { [Noun in keyof Routes]: Operations<Routes[Noun]> },
): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const noun in routes) {
    for (const name in routes[noun]) {
      // The only cast: an endpoint forgets the types that its route and operation share. Whoever serves it reads each
      // request by that same route, so that the operation gets what it was compiled for.
      endpoints.push({ ...routes[noun][name], operate: operations[noun][name] } as Endpoint);
    }
  }
  return endpoints;
}
