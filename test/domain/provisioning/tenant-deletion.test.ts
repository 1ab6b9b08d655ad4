import { beforeEach, expect, test } from "@jest/globals";
import { deleteTenant } from "../../../domain/provisioning/tenant-deletion.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aTenant } from "../../support/accounting/admissions.ts";

const now = Date.parse("2026-11-26T09:30:00Z");
const tenant = aTenant({ name: "Acme", slug: "acme", status: "active" });
/** The steps after the change that fail. */
let failing: ("job" | "profile" | "mail")[];
let written: Tenant | undefined;
let problems: string[];
let jobs: unknown[];
let mails: { to: unknown; subject: string; text: string }[];

beforeEach(() => {
  [failing, written, problems, jobs, mails] = [[], undefined, [], [], []];
});

const fails = (what: (typeof failing)[number]) => {
  if (failing.includes(what)) throw new Error(`${what} failed`);
};

/** @param meanwhile the state that another request has written since `of` was read */
function remove(of = tenant, meanwhile?: Tenant): Promise<void> {
  const deps = {
    tenants: { get: async () => meanwhile ?? of },
    tenantChanges: {
      async write(_before: Tenant, after: Tenant) {
        if (meanwhile) return "stale" as const;
        written = after;
        return "written" as const;
      },
    },
    setupJobs: {
      async send(job: unknown, seconds?: number) {
        fails("job");
        jobs.push([job, seconds]);
      },
    },
    users: {
      async record() {
        fails("profile");
        return { profile: { sub: of.owner_sub, email: "owner@acme.test" } };
      },
    },
    mailer: {
      async send(mail: (typeof mails)[number]) {
        fails("mail");
        mails.push(mail);
        return "sent" as const;
      },
    },
    log: { problem: (message: string) => void problems.push(message) },
    platform: { brand: "Archway", consoleUrl: "https://console.test" },
    clock: () => now,
    newId: () => "id",
  };
  return deleteTenant(deps as unknown as Parameters<typeof deleteTenant>[0], of, { actor: of.owner_sub });
}

test("deleting a tenant ends the billing once the last calls are over, and tells the owner when everything will be purged", async () => {
  await remove();
  expect(written).toMatchObject({ status: "deleted", deleted_at: "2026-11-26T09:30:00.000Z" });
  expect(jobs).toEqual([[{ kind: "tenant", tenant_id: tenant.tenant_id }, 900]]);
  expect(mails).toMatchObject([{ to: "owner@acme.test", subject: "The workspace is deleted (acme)" }]);
  expect(mails[0]?.text).toContain("Everything in it is purged after 10 December 2026 at 09:30 UTC.");
});

test("a last invoice is announced only to owners who pay", async () => {
  await remove({ ...tenant, has_payment_method: true });
  await remove({ ...tenant, has_payment_method: false });
  expect(mails.map(({ text }) => text.includes("a last invoice"))).toEqual([true, false]);
});

test("two simultaneous deletions, of which the second finds the first, send one mail", async () => {
  const found = { ...tenant, status: "deleted" as const, deleted_at: "2026-11-26T09:29:59.999Z" };
  await remove(tenant, found);
  expect([written, mails, jobs.length]).toEqual([undefined, [], 1]);
});

test("deleting a deleted workspace again changes nothing and sends no mail, but ends its billing", async () => {
  await remove({ ...tenant, status: "deleted", deleted_at: "2026-11-20T09:30:00.000Z" });
  expect([written, mails, jobs.length]).toEqual([undefined, [], 1]);
});

test.each([
  ["job", "The reconciliation will end this tenant's billing"],
  ["profile", "deletion_not_mailed"],
  ["mail", "deletion_not_mailed"],
] as const)("a deletion remains in force, and a problem is logged, if the %s fails", async (what, problem) => {
  failing = [what];
  await remove();
  expect([written?.status, problems]).toEqual(["deleted", [problem]]);
});
