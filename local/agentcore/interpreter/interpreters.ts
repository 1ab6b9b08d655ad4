// The Code Interpreters that the program declares: where their sessions run, and which network they have.
import { arnOf } from "../arns.ts";

export type Interpreter = {
  id: string;
  region: string;
  /** SANDBOX has no network here. At AWS it still resolves names and reaches S3. */
  networkMode: "SANDBOX" | "PUBLIC";
};

/** As the service authorization reference has it: those of an account are "custom". */
export const interpreterArn = (region: string, id: string) => arnOf(region, `code-interpreter-custom/${id}`);
