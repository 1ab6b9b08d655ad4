// The route of callers, as data.
import * as z from "zod";
import { memberStatuses } from "../../../domain/people/user.ts";
import { monthBudgetSchema } from "../../../domain/reporting/month-budget.ts";
import { filteredPageQuery, idList, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

const kinds = ["person", "service_account"] as const;
const kind = z
  .enum(kinds, { error: () => `must be one of ${kinds.join(", ")}` })
  .meta({ id: "CallerKind", description: "A person, or a program with keys and limits of its own" });

const caller = monthBudgetSchema
  .extend({
    caller_id: z.string().describe("A person's `user_id`, or a service account's `sa_...`"),
    kind: kind.describe("What the caller is"),
    name: z
      .string()
      .optional()
      .describe("A person's e-mail address, or the name that a key of the service account got last"),
    status: z
      .enum([...memberStatuses, "invited"])
      .meta({ id: "CallerStatus", description: "Whether a caller can call" })
      .describe("`invited`: has not signed in yet. `removed`: was removed, or has no good key any more"),
    last_used_at: z.iso
      .datetime()
      .optional()
      .describe("Last use of one of the caller's active API keys, to the minute. Calls with a token are not recorded"),
  })
  .meta({ id: "Caller", description: "Who calls models, with what is spent and left of the month's budget" });

const aCaller = {
  caller_id: "sa_7kTq2WxB4nLs",
  kind: "service_account",
  name: "Nightly build",
  status: "active",
  last_used_at: "2026-11-21T09:30:12.000Z",
  month: "2026-11",
  spent_usd: 12.5,
  reserved_usd: 0.11,
  limit_usd: 50,
  left_usd: 37.39,
  resets_at: "2026-12-01T00:00:00.000Z",
};

export const callerRoutes = {
  listCallers: {
    method: "GET",
    path: "/v1/callers",
    access: "member",
    summary: "Callers, removed ones too, with their budgets; for a developer, themselves",
    query: filteredPageQuery({
      kind: kind.optional().describe("Only callers of this kind"),
      caller_id: idList("callers"),
    }),
    response: pageSchema(caller),
    example: { response: { data: [aCaller] } },
  },
} as const satisfies Record<string, Route>;
