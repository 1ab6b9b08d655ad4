// The parameters of paths: which thing a call is about. A parameter has one meaning wherever it stands.
import * as z from "zod";

export const pathParameters: Readonly<Record<string, z.ZodType>> = {
  id: z.string().describe("The workspace, by its `tenant_id`"),
  user_id: z.string().describe("The person, by their `user_id`; where one may name oneself also `me`"),
  dev_sub: z.string().describe("The person whose grant it is, by their `user_id`"),
  key_id: z.string().describe("The key, by its `key_id`"),
  name: z.string().describe("The skill or the secret, by its name"),
  version: z.string().describe("The version's number"),
  path: z.string().describe("The file, by its path in the skill's folder"),
  run_id: z.string().describe("The run"),
  n: z.string().describe("The file, by its number"),
  server_id: z.string().describe("The integration, by its `server_id`"),
};
