// The route of callers, as data.
import * as z from "zod";
import { memberStatuses } from "../../../domain/people/user.ts";
import { monthBudgetSchema } from "../../../domain/reporting/month-budget.ts";
import { filteredPageQuery, idList, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

const kinds = ["person", "service_account"] as const;
const kind = z
  .enum(kinds, { error: () => `must be one of ${kinds.join(", ")}` })
  .meta({ id: "CallerKind", description: "Whether the caller is a person or a service account" });

const caller = monthBudgetSchema
  .extend({
    caller_id: z.string().describe("Id of the caller: a person's `user_id`, or a service account's `sa_...`"),
    kind: kind.describe("Whether the caller is a person or a service account (a program with its own keys and limits)"),
    name: z
      .string()
      .optional()
      .describe("E-mail address of a person. For a service account: the latest name of its keys"),
    status: z
      .enum([...memberStatuses, "invited"])
      .meta({ id: "CallerStatus", description: "Whether a caller can make calls" })
      .describe(
        "Status of the caller. `invited`: the person has not accepted the invitation yet. `removed`: the person was removed, or the service account has no valid key",
      ),
    last_used_at: z.iso
      .datetime()
      .optional()
      .describe(
        "When one of the caller's active API keys was last used, to the minute. Calls with an access token do not count",
      ),
  })
  .meta({ id: "Caller", description: "A caller of models, with the spent and remaining budget of this month" });

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
    summary: "List callers, including removed ones, with their budgets. A developer sees only their own entry",
    query: filteredPageQuery({
      kind: kind.optional().describe("Only callers of this kind"),
      caller_id: idList("callers"),
    }),
    response: pageSchema(caller),
    example: { response: { data: [aCaller] } },
  },
} as const satisfies Record<string, Route>;
