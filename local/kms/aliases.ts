// The operations of the emulated KMS on aliases. Making and removing one needs the right on the alias and on its key.
import * as z from "zod";
import { arnOf, type KmsAlias } from "./keys.ts";
import { type KmsOperation, keyId, notPending, operation, rightOn } from "./operation.ts";
import { page, paged } from "./page.ts";

const aliasName = z.string().regex(/^alias\/(?!aws\/)[\w/-]{1,250}$/);

export const aliases: Record<string, KmsOperation> = {
  CreateAlias: operation(
    z.strictObject({ AliasName: aliasName, TargetKeyId: keyId }),
    ({ AliasName, TargetKeyId }, place) => [
      { action: "kms:CreateAlias", resource: arnOf(place.region, AliasName) },
      rightOn(place.keys.find(TargetKeyId, place.region), place),
    ],
    ({ AliasName, TargetKeyId }, { keys, region }) =>
      keys.addAlias(AliasName, region, notPending(keys.find(TargetKeyId, region))),
  ),

  DeleteAlias: operation(
    z.strictObject({ AliasName: aliasName }),
    ({ AliasName }, place) => [
      { action: "kms:DeleteAlias", resource: arnOf(place.region, AliasName) },
      rightOn(place.keys.find(AliasName, place.region), place),
    ],
    ({ AliasName }, { keys, region }) => keys.removeAlias(arnOf(region, AliasName)),
  ),

  ListAliases: operation(
    z.strictObject({ KeyId: keyId.optional(), ...page }),
    () => [{ action: "kms:ListAliases", resource: "*" }],
    ({ KeyId, ...input }, { keys, region }) => {
      const target = KeyId === undefined ? undefined : keys.find(KeyId, region).arn;
      const here = keys.aliases().filter(({ arn }) => arn.startsWith(arnOf(region, "alias/")));
      const { items, ...position } = paged(
        here.filter(({ keyArn }) => target === undefined || keyArn === target),
        input,
      );
      return { Aliases: items.map(entryOf), ...position };
    },
  ),
};

function entryOf({ name, arn, keyArn, createdAt }: KmsAlias): object {
  return {
    AliasName: name,
    AliasArn: arn,
    TargetKeyId: keyArn.slice(keyArn.lastIndexOf("/") + 1),
    CreationDate: createdAt / 1000,
    LastUpdatedDate: createdAt / 1000,
  };
}
