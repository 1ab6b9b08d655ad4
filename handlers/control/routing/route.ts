// What a route of the control plane says of itself. Data only, nothing runs here.
import type * as z from "zod";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";

type RouteDescription = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** One line, for people. */
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Of success; 204 has no response, 202 says that it will be done. */
  status: 200 | 201 | 202 | 204;
  /** What is not in it does not leave. */
  response?: z.ZodType;
  /** True if the call takes an Idempotency-Key: the operation gives a `Creation`, which is carried out once for each key. */
  idempotent?: true;
  /** `shown_once`: the response holds a secret and is kept nowhere, so the operation refuses a repeat and says why. */
  answer?: "shown_once";
  /**
   * The last status of the tenant in which a change stays open to its people, if not `active` alone. What is read stays
   * open while the tenant is suspended.
   */
  openIn?: "suspended" | "deleted";
  /**
   * The field of the answer that is its `ETag`. An operation on what the path names compares `ifMatch` with that thing's, which
   * is another than the answer's if it makes a new one. None in the answer counts as 0.
   */
  versionedBy?: "version" | "updated_at";
  /**
   * The columns, if the page can be had as CSV too: by `format=csv` in the query, or `accept: text/csv`. Fields of a row, or of the
   * answer beside its rows.
   */
  csv?: readonly string[];
  /**
   * The address of what was created, for `Location`: a path with fields of the answer in braces, or the field that is a whole
   * address. With status 201.
   */
  location?: `/v1/${string}` | "{url}";
  /** What the operation itself refuses, beyond what follows from the rest of the route (`route-refusals.ts`). */
  refusals?: readonly RefusalCode[];
  /** One call as a client makes it; parameters of the path by name. */
  example: { parameters?: Readonly<Record<string, string>>; body?: unknown; response?: unknown };
};

/** A tenant's owner is told by the tenant that the path names. */
type PathAndAccess =
  | { access: Exclude<AccessRule, "tenant_owner" | "tenant_manager">; path: `/v1/${string}` }
  | { access: "tenant_owner" | "tenant_manager"; path: `/v1/tenants/{id}${"" | `/${string}`}` };

export type Route = RouteDescription & PathAndAccess;
