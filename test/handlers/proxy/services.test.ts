import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Grant, GrantRecord } from "../../../domain/access/grant.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { timer } from "../../../handlers/proxy/idle-timeout.ts";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { settle } from "../../support/fake-time.ts";
import { openProxy, plainMessage, proxyToken, type TestProxy } from "../../support/proxy.ts";

const minute = 60_000;
const otherTenantId = "22222222-2222-4222-8222-222222222222";

let tenants: Map<string, Tenant>;
let grants: Map<string, Grant>;
/** What was asked of the store. */
let reads: string[];
let proxy: TestProxy;
beforeEach(() => {
  reads = [];
  tenants = new Map([["acme", aTenant()]]);
  grants = new Map([[`${tenantId} dev`, aGrant()]]);
  proxy = openProxy({
    tenants: {
      getBySlug: async (slug) => {
        reads.push(slug);
        return tenants.get(slug);
      },
    },
    grants: {
      get: async (tenant, sub) => {
        reads.push(`${tenant} ${sub}`);
        return grants.get(`${tenant} ${sub}`) as GrantRecord | undefined;
      },
    },
  });
});

const ask = (host = "acme.proxy.localhost", token = proxyToken()) =>
  proxy.ask({ host, headers: { authorization: `Bearer ${token}` } });

describe("tenant and grant", () => {
  test("tenant and grant are each read once a minute", async () => {
    await ask();
    expect(reads).toEqual(["acme", `${tenantId} dev`]);
    await proxy.time.advance(minute - 1);
    await ask();
    expect(reads).toHaveLength(2);
    await proxy.time.advance(1);
    await ask();
    expect(reads).toHaveLength(4);
  });

  test("a changed tenant or grant counts within a minute", async () => {
    await ask();
    tenants.set("acme", aTenant({ status: "suspended" }));
    await proxy.time.advance(minute);
    expect((await ask()).json.error.type).toBe("tenant_suspended");
    tenants.set("acme", aTenant());
    grants.clear();
    await proxy.time.advance(minute);
    expect((await ask()).json.error.details.error_code).toBe("grant_missing");
  });

  test("a missing tenant or grant is looked up again at once, so that a new one works", async () => {
    const newer = ["new.proxy.localhost", proxyToken({ tenant_id: otherTenantId })] as const;
    expect((await ask(...newer)).status).toBe(404);
    tenants.set("new", aTenant({ tenant_id: otherTenantId, slug: "new" }));
    expect((await ask(...newer)).status).toBe(403);
    grants.set(`${otherTenantId} dev`, aGrant());
    expect((await ask(...newer)).status).toBe(200);
  });

  test("tenant and grant of one workspace are never used for another workspace of the same person", async () => {
    tenants.set("other", aTenant({ tenant_id: otherTenantId, slug: "other" }));
    expect((await ask()).status).toBe(200);
    const { json } = await ask("other.proxy.localhost", proxyToken({ tenant_id: otherTenantId }));
    expect(json.error.details.error_code).toBe("grant_missing");
  });
});

describe("the settings say", () => {
  test("the settings determine the default number of calls in flight", async () => {
    proxy = openProxy({}, { defaultLimits: { maxInFlight: 1, rate: { burst: 60, perMinute: 600 } } });
    const host = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => host.promise;
    const first = proxy.send();
    await settle();
    expect((await proxy.ask()).json.error.details.error_code).toBe("concurrency_limited");
    host.resolve(plainMessage);
    await first.settled;
    expect((await proxy.ask()).status).toBe(200);
  });

  test("the settings determine the default rate limit", async () => {
    proxy = openProxy({}, { defaultLimits: { maxInFlight: 64, rate: { burst: 1, perMinute: 2 } } });
    expect([(await proxy.ask()).status, (await proxy.ask()).status]).toEqual([200, 429]);
    await proxy.time.advance(minute / 2);
    expect([(await proxy.ask()).status, (await proxy.ask()).status]).toEqual([200, 429]);
  });

  test.each([
    [true, 429],
    [false, 200],
  ])(
    "the settings determine whether a tenant without a payment method has only free credit: %s",
    async (enforced, status) => {
      proxy = openProxy({}, { enforceFreeCredit: enforced });
      proxy.tenants.set("acme", aTenant({ has_payment_method: false }));
      expect((await proxy.ask()).status).toBe(status);
    },
  );

  test("the settings determine under which path segments and domain the proxy answers", async () => {
    proxy = openProxy({}, { vendorSegments: ["models-of"], proxyDomain: "p.example.com" });
    const host = "acme.p.example.com";
    expect((await proxy.ask({ host, path: "/models-of/v1/messages" })).status).toBe(200);
    expect((await proxy.ask({ host })).status).toBe(404);
    expect((await proxy.ask({ path: "/models-of/v1/messages" })).status).toBe(404);
  });
});

test("no call leaves one of the machine's timers running", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  proxy = openProxy({ schedule: timer });
  let during = 0;
  proxy.host.play.invoke = async () => {
    during = timers();
    return "{}";
  };
  expect((await proxy.ask()).status).toBe(200);
  expect(during).toBeGreaterThan(before);
  expect(timers()).toBe(before);
});
