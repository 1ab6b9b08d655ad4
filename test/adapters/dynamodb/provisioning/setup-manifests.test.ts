import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { manifestRecord } from "../../../../adapters/dynamodb/provisioning/manifest.record.ts";
import { setupManifest } from "../../../../adapters/dynamodb/provisioning/setup-manifests.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Claim, SetupManifest } from "../../../../domain/provisioning/setup-manifest.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { softDeleted } from "../../../../domain/workspace/tenant-change.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { untilTold } from "../../../support/dynamodb/until-told.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let manifests: SetupManifest;
let tenant: Tenant;
let count = 0;
beforeAll(async () => {
  opened = await openStores();
  manifests = setupManifest(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());
beforeEach(async () => {
  count += 1;
  tenant = await opened.stores.tenantEffects("console").tenant_row({
    tenant_id: `t${count}`,
    name: `T${count}`,
    slug: `slug-${count}`,
    owner_sub: `owner-${count}`,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: `2026-11-21T05:00:0${count % 10}.000Z`,
    setup_state: { pending: ["kms_key", "membership"] },
  });
});

const item = async (Key: object) =>
  (await opened.document.send(new GetCommand({ TableName: tableName, Key: Key as Record<string, string> }))).Item;
const manifest = () => item(manifestRecord.key({ tenant_id: tenant.tenant_id, resource: "kms_key" }));
const hold = (now: number) => ({ now, until: now + 60_000 });
const claim = async (now: number) => (await manifests.claim(tenant.tenant_id, "kms_key", hold(now))) as Claim;
const held = (until: number, resource = "arn") => ({ resource, until });

async function remove(): Promise<void> {
  const change = {
    tenant_id: tenant.tenant_id,
    actor: "x",
    action: "tenant.delete",
    target: tenant.tenant_id,
  } as const;
  const entry = auditEntry(change, { id: "e", now: Date.parse("2026-11-22T00:00:00.000Z") });
  await opened.stores.tenantChanges.write(tenant, softDeleted(tenant, Date.parse("2026-11-22T00:00:00.000Z")), entry);
}

test("only one run at a time can claim a setup step, until its claim expires", async () => {
  expect(await claim(1_000)).toEqual({ until: 61_000, isRepeat: false });
  expect(await manifests.claim(tenant.tenant_id, "kms_key", hold(61_000))).toBe("taken");
  expect(await claim(61_001)).toEqual({ until: 121_001, isRepeat: true });
});

test("one of many simultaneous runs gets the step of a setup", async () => {
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      untilTold(() => manifests.claim(tenant.tenant_id, "kms_key", hold(1_000 + n))),
    ),
  );
  expect(claims.filter((one) => one !== "taken")).toHaveLength(1);
});

test("a run's note about a setup step is read by the next run, and a run that lost its claim cannot write a note", async () => {
  const { until } = await claim(1_000);
  expect(await manifests.note(tenant.tenant_id, "kms_key", held(until))).toBe(true);
  expect(await manifests.resource(tenant.tenant_id, "kms_key")).toBe("arn");
  const later = await claim(61_001);
  expect(later).toMatchObject({ isRepeat: true, resource: "arn" });
  expect(await manifests.note(tenant.tenant_id, "kms_key", held(until, "other"))).toBe(false);
  await expect(
    manifests.done(tenant.tenant_id, "kms_key", { ...held(until, "other"), attributes: { kms_cmk_arn: "other" } }),
  ).rejects.toThrow("not held any more");
  expect(await manifest()).toMatchObject({ state: "intended", resource: "arn" });
});

test("completing a setup step writes its attributes to the tenant in the same transaction, and it cannot be claimed again", async () => {
  const { until } = await claim(1_000);
  await manifests.done(tenant.tenant_id, "kms_key", { ...held(until), attributes: { kms_cmk_arn: "arn" } });
  const after = await opened.stores.tenants.get(tenant.tenant_id);
  expect(after).toMatchObject({ kms_cmk_arn: "arn", setup_state: { pending: ["membership"] } });
  expect(after?.version).toBeUndefined();
  expect(await manifest()).toMatchObject({ state: "done", resource: "arn" });
  expect(await manifests.claim(tenant.tenant_id, "kms_key", hold(1_000_000))).toBe("gone");
});

test("a setup step of a deleted or unknown tenant can be neither claimed nor completed", async () => {
  const { until } = await claim(1_000);
  await remove();
  await expect(
    manifests.done(tenant.tenant_id, "kms_key", { ...held(until), attributes: { kms_cmk_arn: "arn" } }),
  ).rejects.toThrow("not held any more");
  expect(await manifests.claim(tenant.tenant_id, "kms_key", hold(1_000_000))).toBe("gone");
  expect(await manifests.claim("nobody", "kms_key", hold(1_000))).toBe("gone");
  expect(await item(manifestRecord.key({ tenant_id: "nobody", resource: "kms_key" }))).toBeUndefined();
});
