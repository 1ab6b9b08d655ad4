// One endpoint of the API: its method and path, its name in the SDK, its parameters, what it does.
import * as z from "zod";
import type { Account } from "./account.ts";
import type { List } from "./objects.ts";
import { bool, int, readParameters } from "./parameters.ts";
import { known, missing } from "./refusal.ts";

/** What a request brings beside its parameters. */
export type Place = {
  account: Account;
  /** The named parts of the path: `id` of `/v1/customers/:id`. */
  path: Record<string, string>;
};

export type Endpoint = {
  method: string;
  path: RegExp;
  /** The name in the SDK, e.g. `billing.meters.create`. Faults and `/_local/calls` use this name. */
  operation: string;
  run(input: unknown, place: Place): unknown;
};

export function endpoint<Schema extends z.ZodType>(
  [method, path]: [method: "GET" | "POST" | "DELETE", path: string],
  operation: string,
  schema: Schema,
  run: (input: z.output<Schema>, place: Place) => unknown,
): Endpoint {
  const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
  return { method, path: pattern, operation, run: (given, place) => run(readParameters(schema, given), place) };
}

type Kept = { id: string };

export const nothing = z.strictObject({});

/** One object of a kind, by its id. */
export function retrieval(
  url: string,
  operation: string,
  noun: string,
  find: (account: Account, id: string) => object | undefined,
): Endpoint {
  return endpoint(["GET", `${url}/:id`], `${operation}.retrieve`, nothing, (_, { account, path }) =>
    known(find(account, path.id ?? ""), noun, path.id),
  );
}

/**
 * The objects of a kind.
 * @param equal fields by whose values they are found
 * @param all in the order of their creation; `more` describes what else it takes
 */
export function listing<More extends z.ZodRawShape = Record<never, never>>(
  url: string,
  operation: string,
  equal: string[],
  all: (account: Account, given: z.output<z.ZodObject<More>>) => Kept[],
  more: More = {} as More,
): Endpoint {
  const values = Object.fromEntries(equal.map((name) => [name, z.union([bool, z.string()]).optional()]));
  const schema = z.strictObject({ ...page, ...values, ...more });
  return endpoint(["GET", url], `${operation}.list`, schema, (read, { account }) => {
    const given = read as Page & z.output<z.ZodObject<More>> & Record<string, unknown>;
    const isMeant = (one: Kept) =>
      equal.every((name) => given[name] === undefined || (one as Kept & Record<string, unknown>)[name] === given[name]);
    return listOf(url, all(account, given).filter(isMeant), given);
  });
}

export const page = {
  limit: int.pipe(z.int().min(1).max(100)).optional(),
  starting_after: z.string().optional(),
};
type Page = { limit?: number | undefined; starting_after?: string | undefined };

/** A page of a list, newest first (docs.stripe.com/api/pagination). @param items in the order of their creation */
export function listOf<T extends Kept>(url: string, items: T[], { limit = 10, starting_after }: Page): List<T> {
  const newestFirst = items.toReversed();
  const before = newestFirst.findIndex(({ id }) => id === starting_after);
  if (starting_after !== undefined && before < 0) throw missing("object", starting_after, "starting_after", 400);
  const rest = newestFirst.slice(before + 1);
  return { object: "list", data: rest.slice(0, limit), has_more: rest.length > limit, url };
}

export type Found = { endpoint: Endpoint; path: Record<string, string> };

export function findEndpoint(endpoints: Endpoint[], method: string, path: string): Found | undefined {
  for (const endpoint of endpoints) {
    if (endpoint.method !== method) continue;
    const match = endpoint.path.exec(path);
    if (match) return { endpoint, path: mapValues(match.groups ?? {}) };
  }
  return undefined;
}

function mapValues(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, decodeURIComponent(value)]));
}
