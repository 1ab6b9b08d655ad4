// Rows of people, as an invitation will write them.
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { index, keys, placeOf } from "../../../adapters/dynamodb/schema.ts";
import type { Membership } from "../../../domain/people/user.ts";

export const aMoment = "2026-11-21T05:00:00.000Z";

export function aMembership(changes: Partial<Membership> & Pick<Membership, "sub" | "tenant_id">): Membership {
  return { tenant_role: "developer", created_at: aMoment, ...changes };
}

export function memberCommand(changes: Partial<Membership> & Pick<Membership, "sub" | "tenant_id">): PutCommand {
  const membership = aMembership(changes);
  const { sub, tenant_id, created_at } = membership;
  return new PutCommand({
    TableName: "main",
    Item: { ...keys.membership(sub, tenant_id), ...index.member(tenant_id, placeOf(created_at, sub)), ...membership },
  });
}
