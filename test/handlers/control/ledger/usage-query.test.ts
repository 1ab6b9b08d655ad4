import { expect, test } from "@jest/globals";
import { usageRoutes } from "../../../../handlers/control/ledger/usage.routes.ts";

const { query } = usageRoutes.getUsage;

test.each(["2026-11-21", "2026-11-21T05:00:00Z", "2026-11-21T05:00:00.000Z"])(
  "%s is accepted as a time of a query",
  (from) => {
    expect(query.parse({ from })).toMatchObject({ from: Date.parse(from) });
  },
);

test.each(["", "21.11.2026", "2026-11", "2026-11-21T05:00:01Z", "2026-11-21T05:00:00+00:30", "1", "2026-13-01"])(
  "%j is refused as a time of a query",
  (from) => expect(query.safeParse({ from }).success).toBe(false),
);
