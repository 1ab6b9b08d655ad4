// The route of the catalog, as data.
import * as z from "zod";
import { offerSchema } from "../../../domain/catalog/offer.ts";
import type { Route } from "../routing/route.ts";

export const catalogRoutes = {
  getCatalog: {
    method: "GET",
    path: "/v1/catalog",
    access: "member",
    openers: ["control:read"],
    summary: "List the models that the caller may call, with prices, limits and aliases",
    response: z
      .object({ data: z.array(offerSchema).describe("The models, newest first") })
      .meta({ id: "Catalog", description: "The models that the caller may call" }),
    refusals: ["grant_missing"],
    example: {
      response: {
        data: [
          {
            id: "claude-sonnet-4-6",
            display_name: "Claude Sonnet 4.6",
            aliases: [],
            stack_aliases: ["latest"],
            created_at: "2026-02-17T00:00:00Z",
            max_input_tokens: 1_000_000,
            max_output_tokens: 64_000,
            regions: [
              {
                region: "eu-central-1",
                runs_anywhere: false,
                prices: [
                  {
                    prompt_tokens_above: 0,
                    input: 3.3,
                    output: 16.5,
                    cache_read: 0.33,
                    cache_write_5m: 4.125,
                    cache_write_1h: 6.6,
                  },
                ],
              },
            ],
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
