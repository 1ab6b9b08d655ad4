// The filter of ListUsers: one attribute, `=` or `^=` (begins with), and a quoted value.
import { AwsError } from "../../aws/service.ts";
import { foldCase, type PoolSettings } from "../settings.ts";
import type { User } from "./users.ts";

/** From Cognito's page "Searching for user attributes"; custom attributes cannot be searched. */
const searchable = ["email", "phone_number", "name", "given_name", "family_name", "preferred_username"];

const special: Record<string, (user: User) => string> = {
  username: (user) => user.username,
  sub: (user) => user.sub,
  "cognito:user_status": (user) => user.status,
  status: () => "Enabled",
};

const pattern = /^\s*([\w:]+)\s*(\^?=)\s*"((?:[^"\\]|\\.)*)"\s*$/;

/** @throws AwsError InvalidParameterException for a filter that Cognito does not know. */
export function userFilter(settings: PoolSettings, filter: string | undefined): (user: User) => boolean {
  if (!filter?.trim()) return () => true;
  const [, name = "", type, quoted = ""] = pattern.exec(filter) ?? [];
  const read = Object.hasOwn(special, name) ? special[name] : undefined;
  if (!type || !(read || searchable.includes(name))) {
    throw new AwsError("InvalidParameterException", `Error while parsing filter: ${filter}`);
  }
  const fold = (text: string) => (name === "username" || name === "email" ? foldCase(settings, text) : text);
  const wanted = fold(quoted.replace(/\\(.)/g, "$1"));
  return (user) => {
    const value = read ? read(user) : user.attributes[name];
    if (value === undefined) return false;
    return type === "=" ? fold(value) === wanted : fold(value).startsWith(wanted);
  };
}
