// The operations of Secrets Manager (docs.aws.amazon.com/secretsmanager/latest/apireference), with the rights that each needs.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type JsonOperation, jsonOperation } from "../aws/json-service.ts";
import { type Authorization, AwsError } from "../aws/service.ts";
import {
  describeSecret,
  describeVersion,
  nameOf,
  regionOf,
  type Secret,
  secretArn,
  stages,
  tagContext,
} from "./secret.ts";
import type { Secrets } from "./secrets.ts";

export type SecretCall = { operation: string; region: string; now: number; secrets: Secrets };

const errorCode = "InvalidParameterException";
const secretId = z.string().min(1).max(2_048);
const token = z.string().min(32).max(64).optional();
const secretString = z.string().min(1).max(65_536);
const tagList = z
  .array(z.strictObject({ Key: z.string().min(1).max(128), Value: z.string().max(256) }))
  .max(50)
  .default([]);

/** Stands for the characters that nobody can know before the creation: policies match them by a pattern. */
const unknownSuffix = "000000";
const day = 86_400_000;

type Named = { SecretId: string };

/** The right of the operation's own name on the secret that a call names. */
function rightOn({ SecretId }: Named, call: SecretCall, context: Authorization["context"] = {}): Authorization {
  const { operation, region, secrets } = call;
  const arn = secrets.arnOf(SecretId, region);
  const secret = secrets.all().find((one) => one.arn === arn);
  const resource = { "secretsmanager:SecretId": SecretId, ...tagContext(secret) };
  return { action: `secretsmanager:${operation}`, resource: arn, context: { ...resource, ...context } };
}

function tagsOf(list: z.output<typeof tagList>): Record<string, string> {
  return Object.fromEntries(list.map(({ Key, Value }) => [Key, Value]));
}

function requestTags(list: z.output<typeof tagList>): NonNullable<Authorization["context"]> {
  if (list.length === 0) return {};
  const values = list.map(({ Key, Value }) => [`aws:RequestTag/${Key}`, Value]);
  return { ...Object.fromEntries(values), "aws:TagKeys": list.map(({ Key }) => Key) };
}

/** A secret that is not marked for deletion. @throws AwsError */
function usable({ SecretId }: Named, { secrets }: SecretCall): Secret {
  const secret = secrets.find(SecretId);
  if (secret.deletionAt === undefined) return secret;
  const message = "You can't perform this operation on the secret because it was marked for deletion.";
  throw new AwsError("InvalidRequestException", message);
}

/** Whether a call repeats the one that made a version. @throws AwsError if it brings another value under the same token. */
function isRepeat(secret: Secret, value: string, id: string, { secrets }: SecretCall): boolean {
  const version = secret.versions.find((one) => one.id === id);
  if (!version) return false;
  if (secrets.valueIn(secret, { VersionId: id }).value === value) return true;
  throw new AwsError("ResourceExistsException", `A version ${id} with another value exists.`);
}

export const operations: Record<string, JsonOperation<SecretCall>> = {
  CreateSecret: jsonOperation(
    errorCode,
    z.strictObject({
      Name: z.string().regex(/^[\w/+=.@-]{1,512}$/),
      ClientRequestToken: token,
      Description: z.string().max(2_048).optional(),
      KmsKeyId: z.string().min(1).max(2_048).optional(),
      SecretString: secretString.optional(),
      Tags: tagList,
    }),
    (input, call) => {
      const arn = secretArn(call.region, `${input.Name}-${unknownSuffix}`);
      const keyArn = input.KmsKeyId === undefined ? undefined : call.secrets.keyArnOf(input.KmsKeyId, call.region);
      const named = { "secretsmanager:Name": input.Name, ...(keyArn && { "secretsmanager:KmsKeyArn": keyArn }) };
      const context = { ...named, ...requestTags(input.Tags) };
      return [
        { action: "secretsmanager:CreateSecret", resource: arn, context },
        // "To add tags to a new secret you must have the permission secretsmanager:TagResource."
        ...(input.Tags.length > 0
          ? [{ action: "secretsmanager:TagResource", resource: arn, context: requestTags(input.Tags) }]
          : []),
        ...call.secrets.keyRights(arn, keyArn, input.ClientRequestToken ?? "", "write"),
      ];
    },
    ({ Name, SecretString, ClientRequestToken: id = randomUUID(), KmsKeyId, ...input }, call) => {
      const { secrets, region, now } = call;
      const known = secrets.named(region, Name);
      if (known?.deletionAt !== undefined) {
        const message = "a secret with this name is already scheduled for deletion.";
        throw new AwsError("InvalidRequestException", `You can't create this secret because ${message}`);
      }
      if (known && (SecretString === undefined || !isRepeat(known, SecretString, id, call))) {
        throw new AwsError(
          "ResourceExistsException",
          `The operation failed because the secret ${Name} already exists.`,
        );
      }
      const made: Secret = known ?? {
        arn: secrets.newArn(region, Name),
        description: input.Description,
        keyArn: KmsKeyId === undefined ? undefined : secrets.keyArnOf(KmsKeyId, region),
        tags: tagsOf(input.Tags),
        createdAt: now,
        versions: [],
      };
      if (known) return describeVersion(known, known.versions[0]);
      const secret = SecretString === undefined ? secrets.save(made) : secrets.add(made, SecretString, id);
      return { ARN: secret.arn, Name, VersionId: secret.versions[0]?.id };
    },
  ),

  GetSecretValue: jsonOperation(
    errorCode,
    z.strictObject({ SecretId: secretId, VersionId: z.string().optional(), VersionStage: z.enum(stages).optional() }),
    (input, call) => {
      const [read, ...keys] = call.secrets.rightsToRead(input.SecretId, call.region);
      return [rightOn(input, call, read?.context), ...keys];
    },
    (input, call) => {
      const secret = usable(input, call);
      const { version, value, stage } = call.secrets.valueIn(secret, input);
      return { ...describeVersion(secret, version, stage), SecretString: value, CreatedDate: version.createdAt / 1000 };
    },
  ),

  PutSecretValue: jsonOperation(
    errorCode,
    z.strictObject({ SecretId: secretId, ClientRequestToken: token, SecretString: secretString }),
    (input, call) => {
      const arn = call.secrets.arnOf(input.SecretId, call.region);
      const keyArn = call.secrets.all().find((secret) => secret.arn === arn)?.keyArn;
      return [rightOn(input, call), ...call.secrets.keyRights(arn, keyArn, input.ClientRequestToken ?? "", "write")];
    },
    (input, call) => {
      const { SecretString, ClientRequestToken: id = randomUUID() } = input;
      const secret = usable(input, call);
      const changed = isRepeat(secret, SecretString, id, call) ? secret : call.secrets.add(secret, SecretString, id);
      return describeVersion(changed, changed.versions[0]);
    },
  ),

  DescribeSecret: jsonOperation(
    errorCode,
    z.strictObject({ SecretId: secretId }),
    (input, call) => [rightOn(input, call)],
    ({ SecretId }, { secrets }) => {
      const secret = secrets.find(SecretId);
      const versions = secret.versions.map(({ id }, index) => [id, [stages[index]]]);
      return { ...describeSecret(secret), VersionIdsToStages: Object.fromEntries(versions) };
    },
  ),

  ListSecrets: jsonOperation(
    errorCode,
    z.strictObject({
      Filters: z
        .array(z.strictObject({ Key: z.enum(["name", "tag-key", "tag-value"]), Values: z.array(z.string()).max(10) }))
        .max(10)
        .default([]),
      MaxResults: z.int().min(1).max(100).default(100),
      NextToken: z.string().regex(/^\d+$/).default("0"),
      IncludePlannedDeletion: z.boolean().default(false),
    }),
    () => [{ action: "secretsmanager:ListSecrets", resource: "*" }],
    ({ Filters, MaxResults, NextToken, IncludePlannedDeletion }, { secrets, region }) => {
      const found = secrets
        .all()
        .filter(({ arn, deletionAt }) => regionOf(arn) === region && (IncludePlannedDeletion || !deletionAt))
        .filter((secret) => Filters.every(({ Key, Values }) => Values.some((value) => matches(secret, Key, value))));
      const end = Number(NextToken) + MaxResults;
      return {
        SecretList: found.slice(Number(NextToken), end).map((secret) => describeSecret({ ...secret, versions: [] })),
        ...(end < found.length && { NextToken: String(end) }),
      };
    },
  ),

  TagResource: jsonOperation(
    errorCode,
    z.strictObject({ SecretId: secretId, Tags: tagList }),
    (input, call) => [rightOn(input, call, requestTags(input.Tags))],
    (input, call) => {
      const secret = usable(input, call);
      call.secrets.save({ ...secret, tags: { ...secret.tags, ...tagsOf(input.Tags) } });
    },
  ),

  DeleteSecret: jsonOperation(
    errorCode,
    z.strictObject({
      SecretId: secretId,
      RecoveryWindowInDays: z.int().min(7).max(30).optional(),
      ForceDeleteWithoutRecovery: z.boolean().default(false),
    }),
    (input, call) => [
      rightOn(input, call, {
        "secretsmanager:ForceDeleteWithoutRecovery": String(input.ForceDeleteWithoutRecovery),
        ...(input.RecoveryWindowInDays && {
          "secretsmanager:RecoveryWindowInDays": String(input.RecoveryWindowInDays),
        }),
      }),
    ],
    ({ SecretId, RecoveryWindowInDays, ForceDeleteWithoutRecovery }, { secrets, now, region }) => {
      if (ForceDeleteWithoutRecovery && RecoveryWindowInDays !== undefined) {
        throw new AwsError(errorCode, "RecoveryWindowInDays and ForceDeleteWithoutRecovery exclude each other.");
      }
      if (ForceDeleteWithoutRecovery) {
        // With ForceDeleteWithoutRecovery a secret that is not there is no error.
        const arn = secrets.arnOf(SecretId, region);
        secrets.remove(arn);
        return { ARN: arn, Name: nameOf(arn), DeletionDate: now / 1000 };
      }
      const secret = secrets.find(SecretId);
      const deletionAt = secret.deletionAt ?? now + (RecoveryWindowInDays ?? 30) * day;
      secrets.save({ ...secret, deletionAt });
      return { ARN: secret.arn, Name: nameOf(secret.arn), DeletionDate: deletionAt / 1000 };
    },
  ),

  RestoreSecret: jsonOperation(
    errorCode,
    z.strictObject({ SecretId: secretId }),
    (input, call) => [rightOn(input, call)],
    ({ SecretId }, { secrets }) => {
      const { arn } = secrets.save({ ...secrets.find(SecretId), deletionAt: undefined });
      return { ARN: arn, Name: nameOf(arn) };
    },
  ),
};

/** A filter's value is the beginning of a name or a tag. */
function matches({ arn, tags }: Omit<Secret, "versions">, key: string, value: string): boolean {
  const texts = key === "name" ? [nameOf(arn)] : key === "tag-key" ? Object.keys(tags) : Object.values(tags);
  return texts.some((text) => text.startsWith(value));
}
