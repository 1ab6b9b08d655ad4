// The API by its routes, for callers: method and path are those of a route, and its schemas are the types. A field that the API renames
// does not compile here.
import type * as z from "zod";
import type { routes } from "../../handlers/control/nouns.ts";

type Nouns = typeof routes;
type Route = { [Noun in keyof Nouns]: Nouns[Noun][keyof Nouns[Noun]] }[keyof Nouns];
type Routes = { [R in Route as `${R["method"]} ${R["path"]}`]: R };

/** A route by its method and path, e.g. `GET /v1/keys/{key_id}`. */
export type Name = keyof Routes;
export type ReadName = Extract<Name, `GET ${string}`>;

type Parameter<P extends string> = P extends `${string}{${infer One}}${infer Rest}` ? One | Parameter<Rest> : never;
type Parameters<P extends string> = [Parameter<P>] extends [never]
  ? { parameters?: never }
  : { parameters: Record<Parameter<P>, string> };
type Query<R> = R extends { query: infer Q extends z.ZodType }
  ? { query?: { [Key in keyof z.input<Q>]?: string | number | undefined } }
  : { query?: never };
type Body<R> = R extends { body: { schema: infer B extends z.ZodType } } ? { body: z.input<B> } : { body?: never };
export type Further = { ifMatch?: string; idempotencyKey?: string; signal?: AbortSignal };

export type CallInput<N extends Name> = Parameters<N> & Query<Routes[N]> & Body<Routes[N]> & Further;
export type Answer<N extends Name> = Routes[N] extends { response: infer R extends z.ZodType }
  ? z.output<R>
  : undefined;
