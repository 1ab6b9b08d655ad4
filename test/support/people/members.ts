// Rows of people, as an invitation will write them.
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { membershipRecord } from "../../../adapters/dynamodb/people/user.record.ts";
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
    Item: {
      ...membershipRecord.key({ sub, tenant_id }),
      ...membershipRecord.indexKey({ tenant_id, created_at, sub }),
      ...membership,
    },
  });
}
