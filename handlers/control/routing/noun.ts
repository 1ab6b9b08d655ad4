// A noun of the control plane: its routes, and their operations.
import type { Operations } from "./operation.ts";
import type { Route } from "./route.ts";

type Routes = Record<string, Route>;

/** @property operations by what they depend on */
export type Noun<R extends Routes, Dependencies> = {
  routes: R;
  operations: (deps: Dependencies) => Operations<R>;
};

/** An operation that is missing, unknown or typed unlike its route does not compile. */
export function noun<R extends Routes, Dependencies, O extends Operations<R>>(
  routes: R,
  operations: (deps: Dependencies) => O & Record<Exclude<keyof O, keyof R>, never>,
): Noun<R, Dependencies> {
  return { routes, operations };
}

// biome-ignore lint/suspicious/noExplicitAny: each use infers the types from the nouns
export type AnyNoun = Noun<any, any>;

/** All that the operations of some nouns depend on. */
export type DependenciesOf<Nouns extends Record<string, AnyNoun>> = {
  [N in keyof Nouns]: (deps: Parameters<Nouns[N]["operations"]>[0]) => void;
}[keyof Nouns] extends (deps: infer Dependencies) => void
  ? Dependencies
  : never;

/** The routes by noun, as data. */
export function routesOf<Nouns extends Record<string, AnyNoun>>(nouns: Nouns) {
  const routes = Object.entries(nouns).map(([name, { routes }]) => [name, routes]);
  return Object.fromEntries(routes) as { [N in keyof Nouns]: Nouns[N]["routes"] };
}
