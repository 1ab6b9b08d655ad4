// One endpoint of the API: its method and path, its name in the SDK, its parameters, what it does.
import type * as z from "zod";
import type { Account } from "./account.ts";
import { readParameters } from "./parameters.ts";

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
