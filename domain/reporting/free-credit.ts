// A workspace's free credit as people see it: the tokens that it was given, and what is left of them.
import * as z from "zod";
import type { Credit } from "../budget/spending.ts";

const tokens = z.int();

export const freeCreditSchema = z
  .object({
    granted_tokens: tokens.describe("Tokens that the workspace was given"),
    spent_tokens: tokens.describe(
      "Tokens that are spent: more than were given where the last calls, admitted while some were left, took more",
    ),
    left_tokens: tokens.describe("Given tokens that are left; never below 0"),
  })
  .meta({ id: "FreeCredit", description: "Tokens that the workspace may use without a payment method" });

export function freeCredit({ granted, spent }: Pick<Credit, "granted" | "spent">) {
  return { granted_tokens: granted, spent_tokens: spent, left_tokens: Math.max(0, granted - spent) };
}
