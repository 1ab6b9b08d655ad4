// A workspace's free credit as people see it: the tokens that it was given, and what is left of them.
import * as z from "zod";
import type { Credit } from "../budget/spending.ts";

const tokens = z.int();

export const freeCreditSchema = z
  .object({
    granted_tokens: tokens.describe("Number of tokens of the free credit that the workspace was given"),
    spent_tokens: tokens.describe(
      "Number of tokens that were spent. Can be higher than `granted_tokens`, because the last calls were admitted while tokens were left",
    ),
    left_tokens: tokens.describe("Number of tokens that are left, never below 0"),
  })
  .meta({ id: "FreeCredit", description: "Tokens that the workspace may use without a payment method" });

export function freeCredit({ granted, spent }: Pick<Credit, "granted" | "spent">) {
  return { granted_tokens: granted, spent_tokens: spent, left_tokens: Math.max(0, granted - spent) };
}
