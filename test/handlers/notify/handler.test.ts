import { expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import type { Mail } from "../../../domain/kernel/mail.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { notifyHandler } from "../../../handlers/notify/handler.ts";
import { MemoryNotices } from "../../support/accounting/memory-notices.ts";
import { aMembership } from "../../support/people/members.ts";

const now = Date.parse("2026-11-21T05:00:00Z");
const tenant_id = "a7b1c2d3-0000-4000-8000-000000000001";
const subject = { kind: "cap", tenant_id, month: "2026-11" } as const;

test("each message to the function notify is mailed separately; a failing or invalid message returns to the queue, and no other with it", async () => {
  const records = new MemoryNotices();
  const due = { threshold: 50, used: 5e9, limit: 1e10, state: "due", changed_at: now, version: 1 } as const;
  await records.put(subject, due);
  await records.put({ ...subject, tenant_id: "broken" }, due);
  const mails: Mail[] = [];
  const problems: string[] = [];
  const handler = notifyHandler({
    records,
    endRecords: { get: async () => undefined, put: async () => true },
    paymentRecords: { get: async () => undefined, put: async () => true },
    tenants: {
      async get(id) {
        if (id === "broken") throw new Error("the store is down");
        return { tenant_id, name: "Acme", slug: "acme", owner_sub: "owner", status: "active" } as Tenant;
      },
    },
    users: {
      record: async (sub) => ({
        profile: {
          sub,
          email: "owner@acme.example",
          approval_status: "approved",
          created_at: "",
          provider: "password",
          email_verified: true,
        },
        memberships: [aMembership({ sub, tenant_id, status: "active" })],
        activeTenants: {},
      }),
    },
    mailer: {
      async send(mail) {
        mails.push(mail);
        return "sent";
      },
    },
    platform: { brand: "Archway", apiUrl: "https://api.example.com", consoleUrl: "https://console.example.com" },
    log: { info: () => {}, problem: (message) => void problems.push(message) },
    clock: () => now,
  });
  const bodies = [subject, { ...subject, tenant_id: "broken" }, { kind: "other" }];
  const Records = bodies.map((body, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: "1" },
  }));
  expect(await handler({ Records } as SQSEvent)).toEqual({
    batchItemFailures: [{ itemIdentifier: "m1" }, { itemIdentifier: "m2" }],
  });
  expect(mails.map(({ to }) => to)).toEqual(["owner@acme.example"]);
  expect(problems).toHaveLength(2);
});
