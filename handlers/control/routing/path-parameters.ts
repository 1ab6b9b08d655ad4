// The parameters of paths: which thing a call is about. A parameter has one meaning wherever it stands.
import * as z from "zod";
import type { Route } from "./route.ts";

/** The parameters that no creation names in its `location` by a field of its answer, and those that need more words than the field. */
const described: Readonly<Record<string, string>> = {
  id: "The `tenant_id` of the workspace",
  user_id: "The `user_id` of the person. `me` names the caller where the call allows it",
  dev_sub: "The `user_id` of the person who has the grant",
  key_id: "The `key_id` of the key",
  name: "Name of the skill or of the secret",
  version: "Number of the version",
  path: "Path of the file, relative to the skill's folder",
  n: "Number of the file among the run's files, starting at 1",
};

/** @returns the description of each parameter of the routes' paths */
export function parameterDescriptions(nouns: Readonly<Record<string, Record<string, Route>>>): Record<string, string> {
  const creations = Object.values(nouns).flatMap((routes) => Object.values(routes));
  return { ...Object.fromEntries(creations.flatMap(fieldsOfLocation)), ...described };
}

function fieldsOfLocation({ location, response }: Route): [name: string, description: string][] {
  if (!(response instanceof z.ZodObject)) return [];
  const { shape } = response;
  return [...(location ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, shape[name]?.description ?? ""]);
}
