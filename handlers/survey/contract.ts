// The contract of the function `survey`, which compares the catalog with the model host's lists: entry, limits and environment.
import * as z from "zod";
import { defineFunction, json } from "../contract.ts";

export const survey = defineFunction({
  entry: "handlers/survey/lambda.ts",
  // Three price lists of some megabytes each.
  timeoutSeconds: 120,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** The families of which new models are taken up. */
    NEW_MODELS: json(z.array(z.string())),
    /** The role that reads the lists, in the account that has the models. */
    MODEL_LISTS_ROLE_ARN: z.string().startsWith("arn:"),
  },
});
