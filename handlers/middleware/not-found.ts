// The router's answer for a path that it does not know, or that does not take the method.
import { Refusal } from "../../domain/kernel/refusal.ts";

type KnownRoute = { method: string; path: string };

/**
 * For Middy's router. @throws Refusal not_found, or method_not_allowed that names the methods the path takes.
 * @param advice what to do about a path that is wrong in a common way
 */
export function notFound(
  routes: readonly KnownRoute[],
  advice: (path: string) => string | undefined = () => undefined,
) {
  return ({ method, path }: KnownRoute): never => {
    const allow = [...new Set(routes.filter((route) => matches(route.path, path)).map((route) => route.method))];
    const nothing = [`There is nothing at ${path}`, advice(path)].filter(Boolean).join(": ");
    if (allow.length === 0) throw new Refusal("not_found", nothing);
    throw new Refusal("method_not_allowed", `${path} takes ${allow.join(", ")}, not ${method}`, { allow });
  };
}

/** Matches like the router: a parameter is one segment, and a slash at the end does not matter. */
function matches(template: string, path: string): boolean {
  const parts = path.replace(/(.)\/$/, "$1").split("/");
  const expected = template.split("/");
  return (
    parts.length === expected.length &&
    expected.every((part, position) => (part.startsWith("{") ? parts[position] !== "" : part === parts[position]))
  );
}
