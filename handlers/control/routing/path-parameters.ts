// The parameters of paths: which thing a call is about. A parameter has one meaning wherever it stands.
import * as z from "zod";

export const pathParameters: Readonly<Record<string, z.ZodType>> = {
  id: z.string().describe("The `tenant_id` of the workspace"),
  user_id: z.string().describe("The `user_id` of the person. `me` names the caller where the call allows it"),
  dev_sub: z.string().describe("The `user_id` of the person who has the grant"),
  key_id: z.string().describe("The `key_id` of the key"),
  name: z.string().describe("Name of the skill or of the secret"),
  version: z.string().describe("Number of the version"),
  path: z.string().describe("Path of the file, relative to the skill's folder"),
  run_id: z.string().describe("Id of the run"),
  n: z.string().describe("Number of the file among the run's files, starting at 1"),
  server_id: z.string().describe("The `server_id` of the integration"),
};
