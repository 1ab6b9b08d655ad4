import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { invitationEnd } from "../../../../adapters/dynamodb/people/invitations.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Invitation, InvitationStore } from "../../../../domain/people/invitation.ts";
import { aGrant } from "../../../support/accounting/admissions.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { anEntry } from "../../../support/people/api-keys.ts";
import { aMembership, aMoment, memberCommand } from "../../../support/people/members.ts";
import { aTenantOf } from "../../../support/people/tenants.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
let store: InvitationStore;
let tenant_id: string;
let tenants = 0;
beforeAll(async () => {
  opened = await openStores();
  store = opened.stores.invitations;
});
afterAll(() => opened.close());
beforeEach(() => {
  tenant_id = `t${tenants++}`;
});

function setTenant(attributes: object) {
  const { setup_state: _done, ...tenant } = aTenantOf("owner", tenant_id);
  const tenantRow = { ...tenantRecord.key(tenant), ...tenant };
  return opened.document.send(new PutCommand({ TableName: tableName, Item: { ...tenantRow, ...attributes } }));
}
const invitation = (): Invitation => ({
  ...aMembership({ sub: "ann", tenant_id }),
  invited_at: aMoment,
  mailed_at: aMoment,
  email: "ann@acme.test",
  invitation_id: "i1",
});
const entry = (at = aMoment) => anEntry({ tenant_id, at, action: "user.invite" });
const membership = () => opened.stores.users.membership("ann", tenant_id);

describe("a day's mails", () => {
  const take = (day: string, max = 3) => store.takeMail(tenant_id, day, max);

  test("the invitation mails of a day are counted up to their limit, also simultaneously, and the count restarts the next day", async () => {
    await setTenant({ status: "active" });
    const taken = await Promise.all(Array.from({ length: 8 }, () => take("2026-11-21")));
    expect(taken.toSorted()).toEqual([...Array(5).fill("none_left"), "taken", "taken", "taken"]);
    expect(await take("2026-11-21")).toBe("none_left");
    expect([await take("2026-11-22", 1), await take("2026-11-22", 1)]).toEqual(["taken", "none_left"]);
  });

  test.each(["suspended", "deleted", undefined])("a tenant that is %s cannot send invitation mails", async (status) => {
    if (status) await setTenant({ status });
    expect(await take("2026-11-21")).toBe("closed");
  });
});

describe("an invitation", () => {
  test("an invitation is written if there is no membership, and completely replaces a removed membership", async () => {
    expect(await store.invite(invitation(), undefined, entry())).toBe(true);
    expect(await membership()).toEqual(invitation());
    expect(await store.invite(invitation(), undefined, entry())).toBe(false);
    const removed = aMembership({ sub: "ann", tenant_id, status: "removed", activated_at: aMoment });
    await opened.document.send(memberCommand(removed));
    expect(await store.invite(invitation(), undefined, entry())).toBe(false);
    expect(await store.invite(invitation(), removed, entry())).toBe(true);
    expect(await membership()).toEqual(invitation());
  });

  test.each(["active", undefined] as const)(
    "an invitation does not overwrite a membership that has become %s",
    async (status) => {
      const removed = aMembership({ sub: "ann", tenant_id, status: "removed" });
      await opened.document.send(memberCommand({ ...removed, status }));
      expect(await store.invite(invitation(), removed, entry())).toBe(false);
      expect((await membership())?.invitation_id).toBeUndefined();
    },
  );
});

describe("a mail to who is invited", () => {
  const later = "2026-11-21T06:00:00.000Z";
  const mailed = { mailed_at: later, invited_by: "owner@acme.test", password_mailed: true as const };
  const note = (notAfter = aMoment) => store.noteMail({ ...invitation(), ...mailed }, notAfter, entry(later));

  test("a mail to an invited person is recorded once for each pause", async () => {
    await store.invite(invitation(), undefined, entry());
    expect(await note("2026-11-21T04:59:59.999Z")).toBe(false);
    expect((await Promise.all([note(), note()])).toSorted()).toEqual([false, true]);
    expect(await membership()).toEqual({ ...invitation(), ...mailed });
  });

  test.each(["active", "removed"] as const)(
    "a mail to a person who is %s, or unknown, is not recorded",
    async (status) => {
      expect(await note()).toBe(false);
      await opened.document.send(memberCommand({ ...invitation(), status }));
      expect(await note()).toBe(false);
    },
  );
});

describe("the end of an invitation", () => {
  const grant = () => opened.stores.grants.get(tenant_id, "ann");
  const putGrant = () => {
    const row = { tenant_id, dev_sub: "ann", ...aGrant(), updated_at: aMoment, updated_by: "owner" };
    return opened.document.send(new PutCommand({ TableName: tableName, Item: { ...grantRecord.key(row), ...row } }));
  };
  const expire = () => invitationEnd(rowsOf(opened.document, tableName)).expire(invitation(), entry());

  test("ending an invitation removes the prepared grant", async () => {
    await store.invite(invitation(), undefined, entry());
    await putGrant();
    await expire();
    expect(await membership()).toEqual({ ...invitation(), status: "removed", removed_at: aMoment });
    expect(await grant()).toBeUndefined();
  });

  test("ending an invitation does not change a person who has joined meanwhile", async () => {
    await opened.document.send(memberCommand({ ...invitation(), status: "active" }));
    await putGrant();
    await expire();
    expect(await membership()).toMatchObject({ status: "active" });
    expect(await grant()).toBeDefined();
  });
});
