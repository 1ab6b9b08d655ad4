// User attributes: which exist in this pool, and what may be written into them.
import * as z from "zod";
import type { AwsError } from "../../aws/service.ts";
import { invalidParameter } from "../refusals.ts";
import type { PoolSettings } from "../settings.ts";

export type Attributes = Record<string, string>;

const standardAttributes = new Set(
  (
    "address birthdate email email_verified family_name gender given_name locale middle_name name nickname " +
    "phone_number phone_number_verified picture preferred_username profile updated_at website zoneinfo"
  ).split(" "),
);

const email = z.email();

/** @throws AwsError InvalidParameterException if an attribute is unknown or malformed. */
export function checkAttributes(settings: PoolSettings, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) checkAttribute(settings, name, value);
}

function checkAttribute(settings: PoolSettings, name: string, value: string): void {
  const schema = settings.schemas.find((declared) => name === `custom:${declared.name}`);
  if (!standardAttributes.has(name) && !schema) {
    throw nonconforming(`Type for attribute {${name}} could not be determined`);
  }
  if (name === "email" && !email.safeParse(value).success) {
    throw invalidParameter("Invalid email address format.");
  }
  const { minLength = 0, maxLength = 2048 } = schema?.stringAttributeConstraints ?? {};
  if (value.length < minLength) throw nonconforming(`${name}: String must not be shorter than ${minLength}`);
  if (value.length > maxLength) throw nonconforming(`${name}: String must not be longer than ${maxLength}`);
}

function nonconforming(message: string): AwsError {
  return invalidParameter(`Attributes did not conform to the schema: ${message}`);
}
