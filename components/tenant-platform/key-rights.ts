// Who may do what with the tenants' keys: the rights of the function that makes them, bound to tags, and the policy that every key has.
import * as pulumi from "@pulumi/pulumi";
import { deletionDays, keyAlias, stackTag, tenantTag } from "../../domain/provisioning/tenant-key.ts";
import { sealingPurpose } from "../../domain/secrets/secret.ts";
import { Link } from "../link.ts";

/**
 * The stack's name, with the rights to make keys that have the tags of the stack and of a tenant, to name them, and to give up
 * those that have the stack's tag, never sooner than the longest notice
 * (docs.aws.amazon.com/kms/latest/developerguide/tag-authorization.html, conditions-kms.html).
 */
export function tenantKeysLink(stack: string, account: pulumi.Input<string>): Link {
  const keys = pulumi.interpolate`arn:aws:kms:*:${account}:key/*`;
  const aliases = pulumi.interpolate`arn:aws:kms:*:${account}:${keyAlias(stack, "*")}`;
  const asked = {
    StringEquals: { [`aws:RequestTag/${stackTag}`]: stack },
    StringLike: { [`aws:RequestTag/${tenantTag}`]: "?*" },
    "ForAllValues:StringEquals": { "aws:TagKeys": [stackTag, tenantTag] },
  };
  const ofStack = { StringEquals: { [`aws:ResourceTag/${stackTag}`]: stack } };
  const notice = { NumericEquals: { "kms:ScheduleKeyDeletionPendingWindowInDays": String(deletionDays) } };
  return new Link(stack, [
    { actions: ["kms:CreateKey"], resources: ["*"], conditions: asked },
    { actions: ["kms:TagResource"], resources: [keys], conditions: asked },
    { actions: ["kms:CreateAlias", "kms:DeleteAlias"], resources: [aliases] },
    // KMS makes a key with a policy only for who may change that policy afterwards (kms/latest/APIReference/API_CreateKey.html).
    {
      actions: ["kms:DescribeKey", "kms:DisableKey", "kms:DeleteAlias", "kms:GetKeyPolicy", "kms:PutKeyPolicy"],
      resources: [keys],
      conditions: ofStack,
    },
    { actions: ["kms:ScheduleKeyDeletion"], resources: [keys], conditions: { ...ofStack, ...notice } },
    { actions: ["tag:GetResources"], resources: ["*"] },
  ]);
}

/**
 * Restricts the statement to calls that Secrets Manager makes to KMS in the caller's name (kms/latest/developerguide/conditions-kms.html,
 * `kms:ViaService`).
 */
const bySecretsManager = { Condition: { StringLike: { "kms:ViaService": "secretsmanager.*.amazonaws.com" } } };

type KeyPolicy = {
  account: pulumi.Input<string>;
  /** The role that makes a key, gives it its alias, and encrypts the values of skills' secrets, which it cannot decrypt. */
  provisioner: pulumi.Input<string>;
  /** The roles that keep secrets under the keys, by way of Secrets Manager. */
  secretKeepers: pulumi.Input<string>[];
  /** The roles that read such secrets. */
  secretReaders: pulumi.Input<string>[];
  /** The role that runs skills, and alone decrypts the values of their secrets. */
  skillRunner: pulumi.Input<string>;
};

/** The actions of AWS's own example for administrators of keys: everything but their use (kms/latest/developerguide/key-policy-default.html). */
const administration = [
  ...["Create", "Describe", "Enable", "List", "Put", "Update", "Revoke", "Disable", "Get", "Delete"].map(
    (verb) => `kms:${verb}*`,
  ),
  ...["kms:TagResource", "kms:UntagResource", "kms:ScheduleKeyDeletion", "kms:CancelKeyDeletion"],
];

/** The encryption context of skills' secrets: nothing else that is under a key can be decrypted by way of it. */
const ofSkillSecrets = { Condition: { StringEquals: { "kms:EncryptionContext:purpose": sealingPurpose.purpose } } };

/**
 * The policy of every tenant's key, as JSON. The account administers, so that IAM decides by whom; it lets no policy of IAM use
 * a key. A new key's tags may count only after minutes, so this policy lets the maker give it an alias, and change the policy: KMS asks that of the
 * maker when it makes the key.
 */
export function keyPolicy({
  account,
  provisioner,
  secretKeepers,
  secretReaders,
  skillRunner,
}: KeyPolicy): pulumi.Output<string> {
  const statement = (Sid: string, principals: pulumi.Input<string> | pulumi.Input<string>[], Action: string[]) => ({
    Sid,
    Effect: "Allow",
    Principal: { AWS: principals },
    Action,
    Resource: "*",
  });
  return pulumi.jsonStringify({
    Version: "2012-10-17",
    Statement: [
      statement("Administration", pulumi.interpolate`arn:aws:iam::${account}:root`, administration),
      statement("Making", provisioner, ["kms:CreateAlias", "kms:PutKeyPolicy"]),
      { ...statement("KeepingSecrets", secretKeepers, ["kms:Decrypt", "kms:GenerateDataKey"]), ...bySecretsManager },
      { ...statement("ReadingSecrets", secretReaders, ["kms:Decrypt"]), ...bySecretsManager },
      { ...statement("SealingSkillSecrets", provisioner, ["kms:GenerateDataKey"]), ...ofSkillSecrets },
      { ...statement("OpeningSkillSecrets", skillRunner, ["kms:Decrypt"]), ...ofSkillSecrets },
    ],
  });
}
