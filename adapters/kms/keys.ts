// The tenants' keys in KMS. A key is found by its alias or, if it was made and never got one, by its tag.
import { isDeepStrictEqual } from "node:util";
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DeleteAliasCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  GetKeyPolicyCommand,
  KMSClient,
  PutKeyPolicyCommand,
  ScheduleKeyDeletionCommand,
} from "@aws-sdk/client-kms";
import { paginateGetResources, ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import { deletionDays, keyAlias, stackTag, type TenantKeys, tenantTag } from "../../domain/provisioning/tenant-key.ts";
import type { StackKeys } from "../../domain/provisioning/tended-keys.ts";
import { agents } from "../connections.ts";

export type TenantKeyOptions = {
  /** The name of the stack: each has its own keys. */
  stack: string;
  /** The key policy of every new key, as JSON. */
  policy: string;
};

/** A CreateKey that the SDK repeats would make another key. The caller repeats the whole step instead. */
const maxAttempts = 1;
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

export function kmsKeys(
  { stack, policy }: TenantKeyOptions,
  kms = new KMSClient({ requestHandler: handler(), maxAttempts }),
  tagging = new ResourceGroupsTaggingAPIClient({ requestHandler: handler() }),
): TenantKeys & StackKeys {
  const describe = async (KeyId: string) => {
    const answer = await unless("NotFoundException", kms.send(new DescribeKeyCommand({ KeyId })));
    return answer?.KeyMetadata;
  };

  async function* byTags(tags: Record<string, string>) {
    const TagFilters = Object.entries(tags).map(([Key, value]) => ({ Key, Values: [value] }));
    const pages = paginateGetResources({ client: tagging }, { TagFilters, ResourceTypeFilters: ["kms:key"] });
    for await (const { ResourceTagMappingList = [] } of pages) {
      for (const { ResourceARN: arn, Tags = [] } of ResourceTagMappingList) {
        const tenantId = Tags.find(({ Key }) => Key === tenantTag)?.Value;
        if (arn !== undefined && tenantId !== undefined) yield { arn, tenantId };
      }
    }
  }

  return {
    async named(tenantId) {
      return (await describe(keyAlias(stack, tenantId)))?.Arn;
    },

    async tagged(tenantId) {
      const found: string[] = [];
      for await (const { arn } of byTags({ [stackTag]: stack, [tenantTag]: tenantId })) {
        const metadata = await describe(arn);
        if (metadata && metadata.KeyState !== "PendingDeletion") found.push(arn);
      }
      return found.sort();
    },

    async create(tenantId) {
      const command = new CreateKeyCommand({
        Description: `Archway ${stack}, tenant ${tenantId}`,
        Policy: policy,
        Tags: [
          { TagKey: stackTag, TagValue: stack },
          { TagKey: tenantTag, TagValue: tenantId },
        ],
      });
      const { KeyMetadata } = await kms.send(command);
      if (!KeyMetadata?.Arn) throw new Error("CreateKey answered without an ARN");
      return KeyMetadata.Arn;
    },

    async name(tenantId, arn) {
      const command = new CreateAliasCommand({ AliasName: keyAlias(stack, tenantId), TargetKeyId: arn });
      await unless("AlreadyExistsException", kms.send(command));
    },

    async remove(arn) {
      const metadata = await describe(arn);
      if (!metadata || metadata.KeyState === "PendingDeletion") return false;
      if (metadata.KeyState === "Enabled") await kms.send(new DisableKeyCommand({ KeyId: arn }));
      const command = new ScheduleKeyDeletionCommand({ KeyId: arn, PendingWindowInDays: deletionDays });
      return (await unless("KMSInvalidStateException", kms.send(command))) !== undefined;
    },

    async unname(tenantId) {
      const command = new DeleteAliasCommand({ AliasName: keyAlias(stack, tenantId) });
      await unless("NotFoundException", kms.send(command));
    },

    async bringPolicy(arn) {
      const { Policy = "" } = await kms.send(new GetKeyPolicyCommand({ KeyId: arn }));
      if (isDeepStrictEqual(comparable(Policy), comparable(policy))) return false;
      await kms.send(new PutKeyPolicyCommand({ KeyId: arn, Policy: policy }));
      return true;
    },

    async isPendingDeletion(arn) {
      const metadata = await describe(arn);
      return !metadata || metadata.KeyState === "PendingDeletion";
    },

    ofStack: () => byTags({ [stackTag]: stack }),
  };
}

/** A policy without the order of its statements and lists, which KMS does not promise to keep. */
function comparable(policy: string): unknown {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted).toSorted((a, b) => textOf(a).localeCompare(textOf(b)));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(alone(member))]));
  };
  return sorted(JSON.parse(policy));
}

/** A list of one is written without brackets, too. */
function alone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function handler() {
  return { ...timeouts, ...agents(), throwOnRequestTimeout: true };
}

/** The answer, or undefined for an error of this name. */
async function unless<T>(name: string, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === name) return undefined;
    throw error;
  }
}
