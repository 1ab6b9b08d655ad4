// Notices in the table: a record for each limit and month, and one for the free credit.
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { nextMonth, startOfMonth } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { type NoticeStore, type NoticeSubject, noticeRecordSchema } from "../../../domain/notices/notice.ts";
import { batchGet } from "../batch.ts";
import { withRetries, written } from "../client.ts";
import { type Key, keys } from "../schema.ts";

type Item = Record<string, unknown>;

export function noticeRecords(client: DynamoDBDocumentClient, tableName: string): NoticeStore {
  return {
    async many(subjects) {
      const { item } = await batchGet(client, tableName, subjects.map(keyOf));
      return (subject) => recordOf(item(keyOf(subject)));
    },

    async get(subject) {
      const command = new GetCommand({ TableName: tableName, Key: keyOf(subject), ConsistentRead: true });
      return recordOf((await withRetries(() => client.send(command))).Item);
    },

    async put(subject, record) {
      const isFirst = record.version === 1;
      const command = new PutCommand({
        TableName: tableName,
        Item: { ...keyOf(subject), ...record, expires_at: expiryOf(subject) },
        ConditionExpression: isFirst ? "attribute_not_exists(pk)" : "version = :before",
        ...(!isFirst && { ExpressionAttributeValues: { ":before": record.version - 1 } }),
      });
      return written(() => client.send(command));
    },
  };
}

function keyOf(subject: NoticeSubject): Key {
  return keys.notice(subject.tenant_id, nameOf(subject));
}

function nameOf(subject: NoticeSubject): string {
  if (subject.kind === "credit") return subject.kind;
  return `${subject.month}#${subject.kind}${subject.kind === "budget" ? `#${subject.caller_id}` : ""}`;
}

function recordOf(item: Item | undefined) {
  return noticeRecordSchema.safeParse(item).data;
}

/** In seconds; undefined for the free credit, which does not begin anew. */
function expiryOf(subject: NoticeSubject): number | undefined {
  if (subject.kind === "credit") return undefined;
  return expiresAt("notice", nextMonth(startOfMonth(subject.month)));
}
