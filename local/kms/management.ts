// The operations of the emulated KMS that make, describe, tag, disable and delete keys.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";
import { defaultKeyPolicy } from "../iam/iam.ts";
import { parsePolicy } from "../iam/policy.ts";
import type { Context } from "../iam/requesting-principal.ts";
import { type KmsKey, keyArn } from "./keys.ts";
import { invalidState, type KmsOperation, notPending, onKey, operation } from "./operation.ts";
import { page, paged } from "./page.ts";

type Tag = { TagKey: string; TagValue: string };

const tags = z.array(z.strictObject({ TagKey: z.string().min(1).max(128), TagValue: z.string().max(256) })).max(50);
const policyName = z.literal("default").default("default");

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
    ({ Tags }, { region }) => {
      const create = { action: "kms:CreateKey", resource: "*", context: requestTags(Tags) };
      const tag = { action: "kms:TagResource", resource: keyArn(region, unknownId), context: requestTags(Tags) };
      return Tags.length > 0 ? [create, tag] : [create];
    },
    ({ Description, Tags, Policy }, { keys, region }) => {
      refuseMalformed(Policy);
      const key = keys.create(region, { description: Description, tags: tagged({}, Tags), policy: Policy });
      return { KeyMetadata: metadata(key) };
    },
  ),

  DescribeKey: onKey({}, (key) => ({ KeyMetadata: metadata(key) })),

  EnableKey: onKey({}, (key, _, { keys }) => keys.save({ ...notPending(key), state: "Enabled" })),

  DisableKey: onKey({}, (key, _, { keys }) => keys.save({ ...notPending(key), state: "Disabled" })),

  ScheduleKeyDeletion: onKey(
    { PendingWindowInDays: z.int().min(7).max(30).default(30) },
    (key, { PendingWindowInDays }, { keys, now }) => {
      const deletionAt = now + PendingWindowInDays * 86_400_000;
      keys.save({ ...notPending(key), state: "PendingDeletion", deletionAt });
      return { KeyId: key.arn, DeletionDate: deletionAt / 1000, KeyState: "PendingDeletion", PendingWindowInDays };
    },
    // docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html
    ({ PendingWindowInDays }) => ({ "kms:ScheduleKeyDeletionPendingWindowInDays": String(PendingWindowInDays) }),
  ),

  CancelKeyDeletion: onKey({}, (key, _, { keys }) => {
    if (key.state !== "PendingDeletion") throw invalidState(key);
    const { deletionAt: _deletionAt, ...kept } = key;
    keys.save({ ...kept, state: "Disabled" });
    return { KeyId: key.arn };
  }),

  TagResource: onKey(
    { Tags: tags },
    (key, { Tags }, { keys }) => keys.save({ ...notPending(key), tags: tagged(key.tags, Tags) }),
    ({ Tags }) => requestTags(Tags),
  ),

  ListResourceTags: onKey(page, (key, input) => {
    const all = Object.entries(key.tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue }));
    const { items, ...position } = paged(all, input);
    return { Tags: items, ...position };
  }),

  GetKeyPolicy: onKey({ PolicyName: policyName }, (key, { PolicyName }) => ({ Policy: key.policy, PolicyName })),

  PutKeyPolicy: onKey({ PolicyName: policyName, Policy: z.string() }, (key, { Policy }, { keys }) => {
    refuseMalformed(Policy);
    keys.save({ ...notPending(key), policy: Policy });
  }),
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
    CustomerMasterKeySpec: "SYMMETRIC_DEFAULT",
    EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"],
    KeyManager: "CUSTOMER",
    Origin: "AWS_KMS",
    MultiRegion: false,
    ...(key.deletionAt !== undefined && { DeletionDate: key.deletionAt / 1000 }),
  };
}

function tagged(tags: Record<string, string>, added: Tag[]): Record<string, string> {
  return { ...tags, ...Object.fromEntries(added.map(({ TagKey, TagValue }) => [TagKey, TagValue])) };
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
