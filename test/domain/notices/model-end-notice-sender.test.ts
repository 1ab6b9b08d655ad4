import { beforeEach, expect, test } from "@jest/globals";
import type { Mail } from "../../../domain/kernel/mail.ts";
import type { ModelEndNotice } from "../../../domain/notices/model-end-notice.ts";
import { ModelEndNoticeSender } from "../../../domain/notices/model-end-notice-sender.ts";
import type { MailState } from "../../../domain/notices/notice.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const notice: ModelEndNotice = {
  kind: "model_end",
  tenant_id: "t1",
  ...{ model: "claude-opus-4-5", display_name: "Claude Opus 4.5", at: "host", last_day: "2027-01-22" },
  successor: "claude-opus-5-5",
};

let tenant: Tenant;
let record: MailState | undefined;
let mails: Mail[];
let sender: ModelEndNoticeSender;
beforeEach(() => {
  tenant = aTenantOf("owner", "t1", { status: "active", name: "Acme", slug: "acme" });
  record = { state: "due", changed_at: 0, version: 1 };
  mails = [];
  const profile = {
    ...({ sub: "owner", email: "owner@acme.test", approval_status: "approved", created_at: "" } as const),
    ...({ provider: "password", email_verified: true } as const),
  };
  sender = new ModelEndNoticeSender({
    endRecords: {
      get: async () => record,
      put: async (_, next) => {
        record = next;
        return true;
      },
    },
    tenants: { get: async () => tenant },
    users: { record: async () => ({ profile, memberships: [], activeTenants: {} }) },
    mailer: { send: async (mail) => (mails.push(mail) > 0 ? "sent" : "none") },
    platform: { brand: "Archway", apiUrl: "https://api.example.com", consoleUrl: "https://console.example.com" },
    log: { info: () => {}, problem: () => {} },
    clock: () => 1,
  });
});

test("the owner is mailed once that a model ends, with its day and its successor", async () => {
  await sender.send(notice);
  await sender.send(notice);
  expect(record?.state).toBe("sent");
  expect(mails).toMatchObject([{ to: "owner@acme.test", subject: "Claude Opus 4.5 ends on 22 January 2027 (acme)" }]);
  expect(mails[0]?.text).toContain("can be called until 22 January 2027 (UTC)");
  expect(mails[0]?.text).toContain("Its successor is claude-opus-5-5");
});

test("the mail of an end at the vendor says that the model can still be called here", async () => {
  await sender.send({ ...notice, at: "vendor" });
  expect(mails[0]?.text).toContain("Here it can still be called after that day");
});

test("nobody is told of a model's end in a workspace that is not active", async () => {
  tenant = { ...tenant, status: "suspended" };
  await sender.send(notice);
  expect([record?.state, mails]).toEqual(["dropped", []]);
});
