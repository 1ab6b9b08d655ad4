// The Code Interpreters that the program declares: where their sessions run, and which network they have.
import { arnOf } from "../arns.ts";

export type Interpreter = {
  id: string;
  region: string;
  /** SANDBOX has no network here. At AWS it still resolves names and reaches S3. */
  networkMode: "SANDBOX" | "PUBLIC";
};

/** The resource type in the ARN is "custom" for an account's own interpreters (service authorization reference). */
export const interpreterArn = (region: string, id: string) => arnOf(region, `code-interpreter-custom/${id}`);
