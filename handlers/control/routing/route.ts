// The description of a route of the control plane, as data.
import type * as z from "zod";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import type { Scope } from "../../../domain/access/scope.ts";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";
import type { Body } from "./writers.ts";

type RouteDescription = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** One line for readers of the documentation. */
  summary: string;
  query?: z.ZodType;
  body?: Body;
  /** The limit of a body that may be larger than others. API Gateway takes 10 MB, and a function 6 MB with all that the request says. */
  maxBodyBytes?: number;
  /** Status of success; unless given, 200 with a response and 204 without one. 202 means that the work is done later. */
  status?: 201 | 202;
  /** Schema of the answer. Fields that are not in it are never sent. */
  response?: z.ZodType;
  /** True if the call accepts an Idempotency-Key. The operation returns a `Creation`, which is carried out once for each key. */
  idempotent?: true;
  /** `shown_once`: the response holds a secret and is stored nowhere, so the operation refuses a repeat and says why. */
  answer?: "shown_once";
  /**
   * The last status of the tenant, in the order active, suspended, deleted, in which the route is open to the tenant's people. By
   * default changes are open while the tenant is active, and reading also while it is suspended.
   */
  openIn?: "suspended" | "deleted";
  /** Scopes that open the route beside `control:manage`: the tokens of coding assistants hold them (domain/access/app-client.ts). */
  openers?: readonly Scope[];
  /** True if the caller must have signed in within the last ten minutes. */
  recentSignIn?: true;
  /** True if each call asks a system outside of the platform. Each person pays for that in time (domain/kernel/question-allowance.ts). */
  asksOutside?: true;
  /**
   * The field of the answer that becomes its `ETag`; a missing field counts as 0. The operation compares `ifMatch` with the version of
   * the resource in the path, which is not the answer's if the operation creates another resource. `content` makes it of the whole
   * answer, for those that are read again and again and have no version: If-None-Match with it is answered 304.
   */
  versionedBy?: "version" | "updated_at" | "content";
  /**
   * Columns of a page that is also served as CSV, with `format=csv` in the query or `accept: text/csv`. A column is a field of a row,
   * or of the answer beside its rows.
   */
  csv?: readonly string[];
  /**
   * Address of the created resource for `Location`, with status 201: a path with fields of the answer in braces, or `{url}` for an
   * answer that holds the whole address.
   */
  location?: `/v1/${string}` | "{url}";
  /** Refusals of the operation itself, in addition to those that follow from the rest of the route (`route-refusals.ts`). */
  refusals?: readonly RefusalCode[];
  /** An example of a call. Parameters of the path are given by name, and those of the query that the route needs. */
  example: {
    parameters?: Readonly<Record<string, string>>;
    query?: Readonly<Record<string, string>>;
    body?: unknown;
    response?: unknown;
  };
};

type OfTenant = "tenant_owner" | "tenant_manager" | "tenant_reader";

/** Routes for a tenant's owner name the tenant in their path. */
type PathAndAccess =
  | { access: Exclude<AccessRule, OfTenant>; path: `/v1/${string}` }
  | { access: OfTenant; path: `/v1/tenants/{id}${"" | `/${string}`}` };

export type Route = RouteDescription & PathAndAccess;

export function successStatus({ status, response }: Pick<Route, "status" | "response">): number {
  return status ?? (response ? 200 : 204);
}
