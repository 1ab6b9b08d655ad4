// Joins the routes of nouns with their operations.
import type { Creation } from "../../../domain/kernel/idempotency.ts";
import type { ControlCaller } from "../../middleware/caller.ts";
import type { AnyNoun, DependenciesOf } from "./noun.ts";
import type { Route } from "./route.ts";

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

export function implement<Nouns extends Record<string, AnyNoun>>(
  nouns: Nouns,
  deps: DependenciesOf<Nouns>,
): Endpoint[] {
  return Object.values(nouns).flatMap(({ routes, operations }) => {
    const made = operations(deps);
    // The only cast: an endpoint has lost the types that its route and operation share. Requests are read by that same route,
    // so the operation still gets the types for which it was compiled.
    return Object.entries(routes).map(([name, route]) => ({ ...(route as Route), operate: made[name] }) as Endpoint);
  });
}
