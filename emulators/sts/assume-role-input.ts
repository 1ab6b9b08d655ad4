// The input of AssumeRole, read from its form within AWS's limits (docs.aws.amazon.com/STS/latest/APIReference).
import * as z from "zod";
import { parsedInput } from "../aws/input.ts";
import { AwsError, type AwsRequest } from "../aws/service.ts";

export type AssumeRoleInput = {
  roleArn: string;
  sessionName: string;
  durationSeconds: number;
  tags: Record<string, string>;
};

const maxTags = 50;
const tagText = String.raw`[\p{L}\p{Z}\p{N}_.:/=+\-@]`;

const schema = z.strictObject({
  RoleArn: z.string().regex(/^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  RoleSessionName: z.string().regex(/^[\w+=,.@-]{2,64}$/),
  DurationSeconds: z.coerce.number().int().min(900).max(43_200).default(3600),
  Tags: z
    .array(
      z.strictObject({
        Key: z.string().regex(new RegExp(`^${tagText}{1,128}$`, "u")),
        Value: z.string().regex(new RegExp(`^${tagText}{0,256}$`, "u")),
      }),
    )
    .max(maxTags)
    .default([]),
});

/** The form of a query protocol's request. */
export function formOf({ body }: Pick<AwsRequest, "body">): URLSearchParams {
  return new URLSearchParams(body.toString("utf8"));
}

/** @throws AwsError for a value out of AWS's limits, and for a parameter that is not emulated */
export function assumeRoleInput(request: Pick<AwsRequest, "body">): AssumeRoleInput {
  const input = parsedInput(schema, membersOf(formOf(request)), "ValidationError");
  const { RoleArn, RoleSessionName, DurationSeconds, Tags } = input;
  const keys = new Set(Tags.map(({ Key }) => Key.toLowerCase()));
  if (keys.size < Tags.length) {
    throw new AwsError(
      "InvalidParameterValue",
      "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
    );
  }
  return {
    roleArn: RoleArn,
    sessionName: RoleSessionName,
    durationSeconds: DurationSeconds,
    tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
  };
}

/** The form as an object, with its `Tags.member.N.Key` gathered into a list. */
function membersOf(form: URLSearchParams): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  const tags: Record<string, string>[] = [];
  for (const [name, value] of form) {
    const [, index, field] = /^Tags\.member\.([1-9]\d{0,2})\.(\w+)$/.exec(name) ?? [];
    if (index !== undefined && field !== undefined) {
      const place = Number(index) - 1;
      tags[place] = { ...tags[place], [field]: value };
      continue;
    }
    // An empty list is written as an empty member of the list's name.
    const isEmptyList = name === "Tags" && value === "";
    if (name !== "Action" && name !== "Version" && !isEmptyList) members[name] = value;
  }
  return tags.length > 0 ? { ...members, Tags: Array.from(tags, (tag) => tag ?? {}) } : members;
}
