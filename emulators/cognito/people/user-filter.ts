// The filter of ListUsers: one attribute and a quoted value that it equals (docs.aws.amazon.com/
// cognito-user-identity-pools/latest/APIReference/API_ListUsers.html, "Filter"). Beginnings of values are not emulated.

import { invalidParameter } from "../refusals.ts";
import { foldCase, type User } from "./users.ts";

const searchable: Record<string, (user: User) => string> = {
  email: ({ attributes }) => foldCase(attributes.email ?? ""),
  sub: ({ sub }) => sub,
  "cognito:user_status": ({ status }) => status,
};

const pattern = /^\s*(email|sub|cognito:user_status)\s*=\s*"((?:[^"\\]|\\.)*)"\s*$/;

/** @throws AwsError InvalidParameterException for a filter that is not emulated. */
export function userFilter(filter: string | undefined): (user: User) => boolean {
  if (!filter?.trim()) return () => true;
  const [, name = "", quoted = ""] = pattern.exec(filter) ?? [];
  const read = searchable[name];
  if (!read) throw invalidParameter(`Error while parsing filter: ${filter}`);
  const unquoted = quoted.replace(/\\(.)/g, "$1");
  const wanted = name === "email" ? foldCase(unquoted) : unquoted;
  return (user) => read(user) === wanted;
}
