import { beforeEach, describe, expect, test } from "@jest/globals";
import { type Mail, MailUncertain } from "../../../domain/kernel/mail.ts";
import { NoticeUnknown } from "../../../domain/notices/mail-once.ts";
import type { NoticeRecord, NoticeSubject } from "../../../domain/notices/notice.ts";
import { NoticeSender } from "../../../domain/notices/notice-sender.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { MemoryNotices } from "../../support/accounting/memory-notices.ts";
import { aMembership } from "../../support/people/members.ts";

const tenant_id = "a7b1c2d3-0000-4000-8000-000000000001";
const month = "2026-11";
const cap = { kind: "cap", tenant_id, month } as const;
const budgetOf = (caller_id: string) => ({ kind: "budget", tenant_id, month, caller_id }) as const;
const due: NoticeRecord = { threshold: 80, used: 8e9, limit: 1e10, state: "due", changed_at: 0, version: 1 };

let now: number;
let records: MemoryNotices;
let tenant: Partial<Tenant> | undefined;
let left: string[];
let mails: Mail[];
let send: () => Promise<"sent" | "none">;
let notification: NoticeSender;
beforeEach(() => {
  now = Date.parse("2026-11-21T05:00:00Z");
  records = new MemoryNotices();
  tenant = { tenant_id, name: "Acme", slug: "acme", owner_sub: "owner", status: "active", has_payment_method: false };
  [left, mails] = [[], []];
  send = async () => "sent";
  notification = new NoticeSender({
    records,
    tenants: { get: async () => tenant as Tenant | undefined },
    users: {
      record: async (sub) => ({
        profile: {
          sub,
          email: `${sub}@acme.example`,
          approval_status: "approved",
          created_at: "",
          provider: "password",
          email_verified: true,
        },
        memberships: [aMembership({ sub, tenant_id, status: left.includes(sub) ? "removed" : "active" })],
        activeTenants: {},
      }),
    },
    mailer: {
      async send(mail) {
        const sent = await send();
        mails.push(mail);
        return sent;
      },
    },
    platform: { brand: "Archway", apiUrl: "https://api.example.com", consoleUrl: "https://console.example.com" },
    log: { info: () => {}, problem: () => {} },
    clock: () => now,
  });
});

async function mailed(subject: NoticeSubject, record = due) {
  await records.put(subject, record);
  await notification.send(subject);
  return [mails.map(({ to }) => to), (await records.get(subject))?.state];
}

describe("a notice", () => {
  test.each([
    ["a cap, to the owner", cap, "owner"],
    ["free credit, to the owner", { kind: "credit", tenant_id }, "owner"],
    ["a service account's budget, to the owner", budgetOf("sa_123"), "owner"],
    ["a person's budget, to the person", budgetOf("ann"), "ann"],
  ] as const)("a notice is mailed about %s", async (_, subject, sub) => {
    expect(await mailed(subject)).toEqual([[`${sub}@acme.example`], "sent"]);
  });

  test("a notice is mailed once, however often its message comes", async () => {
    await mailed(cap);
    await notification.send(cap);
    await notification.send(cap);
    expect(mails).toHaveLength(1);
  });

  test("a notice is mailed once if two functions send it at the same time", async () => {
    await records.put(cap, due);
    await Promise.allSettled([notification.send(cap), notification.send(cap)]);
    expect(mails).toHaveLength(1);
  });

  test("a notice without a record is not mailed", async () => {
    await notification.send(cap);
    expect(mails).toEqual([]);
  });

  test("a notice is dropped if the platform sends no mails", async () => {
    send = async () => "none";
    expect((await mailed(cap))[1]).toBe("dropped");
  });
});

describe("nobody is mailed", () => {
  test("no notice is mailed about a workspace that is suspended, deleted or purged", async () => {
    tenant = { ...tenant, status: "suspended" };
    expect(await mailed(cap)).toEqual([[], "dropped"]);
    tenant = undefined;
    expect(await mailed(budgetOf("ann"))).toEqual([[], "dropped"]);
  });

  test("no notice is mailed to a person who is no longer a member", async () => {
    left = ["ann"];
    expect(await mailed(budgetOf("ann"))).toEqual([[], "dropped"]);
  });

  test("no notice about free credit is mailed once there is a payment method", async () => {
    tenant = { ...tenant, has_payment_method: true };
    expect(await mailed({ kind: "credit", tenant_id })).toEqual([[], "dropped"]);
  });

  test("no notice is mailed about a past month", async () => {
    expect(await mailed({ ...cap, month: "2026-10" })).toEqual([[], "dropped"]);
  });
});

describe("a mail that", () => {
  test("a notice whose mail was refused is due again", async () => {
    send = () => Promise.reject(new Error("throttled"));
    await expect(mailed(cap)).rejects.toThrow("throttled");
    expect(await records.get(cap)).toMatchObject({ state: "due" });
    send = async () => "sent";
    await notification.send(cap);
    expect(mails).toHaveLength(1);
  });

  test("a notice whose mail may have been sent is never sent again, and each repeat says so", async () => {
    send = () => Promise.reject(new MailUncertain(new Error("timeout")));
    await expect(mailed(cap)).rejects.toThrow(NoticeUnknown);
    send = async () => "sent";
    await expect(notification.send(cap)).rejects.toThrow(NoticeUnknown);
    expect(mails).toEqual([]);
  });

  test("a notice whose mail was sent, but could not be recorded, is never sent again", async () => {
    records.beforePut = ({ state }) => {
      if (state === "sent") throw new Error("the store is down");
    };
    await expect(mailed(cap)).rejects.toThrow("the store is down");
    await expect(notification.send(cap)).rejects.toThrow("being mailed by another");
    now += 60_000;
    await expect(notification.send(cap)).rejects.toThrow(NoticeUnknown);
    expect(mails).toHaveLength(1);
  });

  test("a higher threshold that is reached while a notice is mailed stays due", async () => {
    await records.put(cap, due);
    send = async () => {
      const sending = await records.get(cap);
      await records.put(cap, { ...due, threshold: 100, version: (sending?.version ?? 0) + 1 });
      return "sent";
    };
    await notification.send(cap);
    expect(await records.get(cap)).toMatchObject({ threshold: 100, state: "due" });
  });
});
