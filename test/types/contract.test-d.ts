// What must not compile. Nothing here runs: `npm run types` fails if one of these lines becomes right.
import * as z from "zod";
import type { Environment } from "../../components/lambda-function.ts";
import { Link } from "../../components/link.ts";
import { defineFunction, type Env, integer } from "../../handlers/contract.ts";

const contract = defineFunction({
  entry: "handlers/example/lambda.ts",
  timeoutSeconds: 10,
  memoryMb: 128,
  env: { TABLE_NAME: z.string(), LIMIT: integer, MODE: z.enum(["on", "off"]).default("on") },
});

type Example = Environment<typeof contract>;

export const complete: Example = { TABLE_NAME: new Link("table", []), LIMIT: "10" };
export const parsed: Env<typeof contract> = { TABLE_NAME: "table", LIMIT: 10, MODE: "on" };

// @ts-expect-error a variable is missing: this is what a component meets when a contract renames one
export const missing: Example = { TABLE_NAME: "table" };

// @ts-expect-error a variable that the contract does not know
export const unknown: Example = { TABLE_NAME: "table", LIMIT: "10", TABEL_NAME: "table" };

// @ts-expect-error a number where the environment holds strings
export const wrongType: Example = { TABLE_NAME: "table", LIMIT: 10 };

// @ts-expect-error a value that the contract does not allow
export const wrongValue: Example = { TABLE_NAME: "table", LIMIT: "10", MODE: "maybe" };

defineFunction({
  // @ts-expect-error an entry is a function's lambda.ts
  entry: "handlers/example/handler.ts",
  timeoutSeconds: 10,
  memoryMb: 128,
  env: {},
});
