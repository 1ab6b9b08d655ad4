// User attributes: which exist in this pool, and what may be written into them.
import * as z from "zod";
import { AwsError } from "../../aws/service.ts";
import type { PoolSettings } from "../settings.ts";

export type Attributes = Record<string, string>;

const standardAttributes = new Set(
  (
    "address birthdate email email_verified family_name gender given_name locale middle_name name nickname " +
    "phone_number phone_number_verified picture preferred_username profile updated_at website zoneinfo"
  ).split(" "),
);

const email = z.email();

/** @throws AwsError InvalidParameterException if an attribute is unknown, malformed or, for a new user, missing. */
export function checkAttributes(settings: PoolSettings, attributes: Attributes, mode: "create" | "update"): void {
  for (const [name, value] of Object.entries(attributes)) checkAttribute(settings, name, value, mode);
  if (mode === "update") return;
  const missing = requiredAttributes(settings).find((name) => attributes[name] === undefined);
  if (missing) throw nonconforming(`${missing}: The attribute is required`);
}

/** The standard attributes that the pool asks of every new user. */
export function requiredAttributes(settings: PoolSettings): string[] {
  return settings.schemas.filter((schema) => schema.required).map((schema) => schema.name);
}

function checkAttribute(settings: PoolSettings, name: string, value: string, mode: "create" | "update"): void {
  const schema = settings.schemas.find((declared) => name === declared.name || name === `custom:${declared.name}`);
  if (!standardAttributes.has(name) && !(schema && name.startsWith("custom:"))) {
    throw nonconforming(`Type for attribute {${name}} could not be determined`);
  }
  if (mode === "update" && schema?.mutable === false) {
    throw new AwsError("InvalidParameterException", `user.${name}: Attribute cannot be updated.`);
  }
  if (name === "email" && !email.safeParse(value).success) {
    throw new AwsError("InvalidParameterException", "Invalid email address format.");
  }
  const { minLength = 0, maxLength = 2048 } = schema?.stringAttributeConstraints ?? {};
  if (value.length < minLength) throw nonconforming(`${name}: String must not be shorter than ${minLength}`);
  if (value.length > maxLength) throw nonconforming(`${name}: String must not be longer than ${maxLength}`);
}

function nonconforming(message: string): AwsError {
  return new AwsError("InvalidParameterException", `Attributes did not conform to the schema: ${message}`);
}
