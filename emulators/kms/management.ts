// The operations of the emulated KMS that make, describe, name, disable and delete keys.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";
import { defaultKeyPolicy } from "../iam/iam.ts";
import { parsePolicy } from "../iam/policy.ts";
import type { Context } from "../iam/requesting-principal.ts";
import { arnOf, type KmsKey, keyArn } from "./keys.ts";
import { type KmsOperation, keyId, notPending, onKey, operation, rightOn } from "./operation.ts";

type Tag = { TagKey: string; TagValue: string };

const tags = z.array(z.strictObject({ TagKey: z.string().min(1).max(128), TagValue: z.string().max(256) })).max(50);
const aliasName = z.string().regex(/^alias\/(?!aws\/)[\w/-]{1,250}$/);

/** AWS asks for TagResource on a new key too, whose id nobody can know yet. */
const unknownId = "00000000-0000-0000-0000-000000000000";

export const management: Record<string, KmsOperation> = {
  CreateKey: operation(
    z.strictObject({
      Description: z.string().max(8192).default(""),
      Tags: tags.default([]),
      Policy: z.string().default(defaultKeyPolicy),
      KeyUsage: z.literal("ENCRYPT_DECRYPT").optional(),
      KeySpec: z.literal("SYMMETRIC_DEFAULT").optional(),
    }),
    ({ Tags, Policy }, { region }) => {
      const create = { action: "kms:CreateKey", resource: "*", context: requestTags(Tags) };
      const tag = { action: "kms:TagResource", resource: keyArn(region, unknownId), context: requestTags(Tags) };
      // Refuses a policy whose bringer could not change it afterwards. KMS judges that by the tags of the request, and answers
      // MalformedPolicyDocumentException (docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html, BypassPolicyLockoutSafetyCheck).
      const context = Object.fromEntries(Tags.map(({ TagKey, TagValue }) => [`aws:ResourceTag/${TagKey}`, TagValue]));
      const change = { action: "kms:PutKeyPolicy", resource: keyArn(region, unknownId), context };
      return [create, ...(Tags.length > 0 ? [tag] : []), ...(Policy === defaultKeyPolicy ? [] : [change])];
    },
    ({ Description, Tags, Policy }, { keys, region }) => {
      refuseMalformed(Policy);
      const tags = Object.fromEntries(Tags.map(({ TagKey, TagValue }) => [TagKey, TagValue]));
      return { KeyMetadata: metadata(keys.create(region, { description: Description, tags, policy: Policy })) };
    },
  ),

  DescribeKey: onKey({}, (key) => ({ KeyMetadata: metadata(key) })),

  DisableKey: onKey({}, (key, _, { keys }) => keys.save({ ...notPending(key), state: "Disabled" })),

  ScheduleKeyDeletion: onKey(
    { PendingWindowInDays: z.int().min(7).max(30).default(30) },
    (key, { PendingWindowInDays }, { keys, now }) => {
      const deletionAt = now + PendingWindowInDays * 86_400_000;
      keys.save({ ...notPending(key), state: "PendingDeletion", deletionAt });
      return { KeyId: key.arn, DeletionDate: deletionAt / 1000, KeyState: "PendingDeletion", PendingWindowInDays };
    },
    // A policy may limit the days by this key (docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html).
    ({ PendingWindowInDays }) => ({ "kms:ScheduleKeyDeletionPendingWindowInDays": String(PendingWindowInDays) }),
  ),

  GetKeyPolicy: onKey({ PolicyName: z.literal("default").default("default") }, (key) => ({
    PolicyName: "default",
    Policy: key.policy,
  })),

  PutKeyPolicy: onKey(
    { PolicyName: z.literal("default").default("default"), Policy: z.string() },
    (key, { Policy }, { keys }) => {
      refuseMalformed(Policy);
      keys.save({ ...notPending(key), policy: Policy });
    },
  ),

  // Making and removing an alias needs the right on the alias and on its key.
  CreateAlias: operation(
    z.strictObject({ AliasName: aliasName, TargetKeyId: keyId }),
    ({ AliasName, TargetKeyId }, call) => [
      { action: "kms:CreateAlias", resource: arnOf(call.region, AliasName) },
      rightOn(call.keys.find(TargetKeyId, call.region), call),
    ],
    ({ AliasName, TargetKeyId }, { keys, region }) =>
      keys.addAlias(AliasName, region, notPending(keys.find(TargetKeyId, region))),
  ),

  DeleteAlias: operation(
    z.strictObject({ AliasName: aliasName }),
    ({ AliasName }, call) => [
      { action: "kms:DeleteAlias", resource: arnOf(call.region, AliasName) },
      rightOn(call.keys.find(AliasName, call.region), call),
    ],
    ({ AliasName }, { keys, region }) => keys.removeAlias(arnOf(region, AliasName)),
  ),
};

function metadata(key: KmsKey): object {
  return {
    AWSAccountId: accountId,
    KeyId: key.id,
    Arn: key.arn,
    CreationDate: key.createdAt / 1000,
    Enabled: key.state === "Enabled",
    KeyState: key.state,
    Description: key.description,
    KeyUsage: "ENCRYPT_DECRYPT",
    KeySpec: "SYMMETRIC_DEFAULT",
    KeyManager: "CUSTOMER",
    Origin: "AWS_KMS",
    MultiRegion: false,
    ...(key.deletionAt !== undefined && { DeletionDate: key.deletionAt / 1000 }),
  };
}

function requestTags(tags: Tag[]): Context {
  if (tags.length === 0) return {};
  const values = tags.map(({ TagKey, TagValue }) => [`aws:RequestTag/${TagKey}`, TagValue]);
  return { ...Object.fromEntries(values), "aws:TagKeys": tags.map(({ TagKey }) => TagKey) };
}

function refuseMalformed(policy: string): void {
  try {
    parsePolicy("key policy", policy, "resource");
  } catch (error) {
    throw new AwsError("MalformedPolicyDocumentException", (error as Error).message);
  }
}
