import { expect, test } from "@jest/globals";
import type { SetupManifest } from "../../../domain/provisioning/setup-manifest.ts";
import { keyAlias, keyEffect, removeKeys, type TenantKeys } from "../../../domain/provisioning/tenant-key.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

const tenant = { tenant_id: "t1" } as Tenant;

/** KMS and the manifest in memory. `failAt` lets the call of that number fail, before or after it took effect. */
function world() {
  let now = 1_000_000;
  let calls = 0;
  let failing: { call: number; when: "before" | "after" } | undefined;
  const live = new Set<string>();
  const aliases = new Map<string, string>();
  let made = 0;
  const manifest: { attempts: number; until?: number; resource?: string; state: string; arn?: string } = {
    attempts: 0,
    state: "intended",
  };
  async function step<T>(effect: () => T): Promise<T> {
    const strikes = failing?.call === calls++ ? failing.when : undefined;
    if (strikes === "before") throw new Error("not done");
    const result = effect();
    if (strikes === "after") throw new Error("answer lost");
    return result;
  }
  const keys: TenantKeys = {
    named: (id) => step(() => aliases.get(id)),
    tagged: () => step(() => [...live].sort()),
    create: () =>
      step(() => {
        made += 1;
        live.add(`key-${made}`);
        return `key-${made}`;
      }),
    name: (id, arn) => step(() => void (aliases.has(id) || aliases.set(id, arn))),
    remove: (arn) => step(() => live.delete(arn)),
    unname: (id) => step(() => void aliases.delete(id)),
  };
  const records = {
    claim: (_id: string, _step: string, hold: { now: number; until: number }) =>
      step(() => {
        if (manifest.state === "done") return "gone" as const;
        if (manifest.until !== undefined && manifest.until >= hold.now) return "taken" as const;
        manifest.attempts += 1;
        manifest.until = hold.until;
        return { until: hold.until, isRepeat: manifest.attempts > 1, resource: manifest.resource };
      }),
    note: (_id: string, _step: string, { resource, until }: { resource: string; until: number }) =>
      step(() => {
        if (manifest.until !== until) return false;
        manifest.resource = resource;
        return true;
      }),
    done: (_id: string, _step: string, { resource, until, attributes }: Parameters<SetupManifest["done"]>[2]) =>
      step(() => {
        if (manifest.until !== until) throw new Error("not held");
        Object.assign(manifest, { state: "done", resource, arn: attributes.kms_cmk_arn, until: undefined });
      }),
  } as unknown as SetupManifest;
  return {
    keys,
    live,
    aliases,
    manifest,
    run: keyEffect({ keys, manifest: records, clock: () => now }),
    wait: (ms: number) => {
      now += ms;
    },
    failAt: (call: number, when: "before" | "after") => {
      [calls, failing] = [0, { call, when }];
    },
    calls: () => calls,
  };
}

const whole = { live: ["key-1"], alias: "key-1", state: "done", arn: "key-1" };
const stateOf = ({ live, aliases, manifest }: ReturnType<typeof world>) => {
  const [only] = live;
  return {
    live: [...live],
    alias: aliases.get("t1"),
    state: manifest.state,
    arn: manifest.arn,
    isOne: only === manifest.arn,
  };
};

test("a tenant gets one key with its alias, and the manifest and the tenant name it", async () => {
  const one = world();
  await one.run(tenant);
  expect(stateOf(one)).toEqual({ ...whole, isOne: true });
  await one.run(tenant);
  expect(stateOf(one)).toEqual({ ...whole, isOne: true });
});

test("a tenant has one key after a run that was interrupted before or after any of its calls, and a second run", async () => {
  for (const when of ["before", "after"] as const) {
    for (let call = 0; call < 4; call++) {
      const one = world();
      one.failAt(call, when);
      await expect(one.run(tenant)).rejects.toThrow();
      one.wait(60_001);
      await one.run(tenant);
      const { live, alias, state, arn } = stateOf(one);
      expect([when, call, live.length, alias, state, arn]).toEqual([when, call, 1, live[0], "done", live[0]]);
    }
  }
});

test("a tenant has one key after a run that was interrupted twice", async () => {
  for (let first = 0; first < 4; first++) {
    for (let second = 0; second < 6; second++) {
      const one = world();
      one.failAt(first, "after");
      await one.run(tenant).catch(() => {});
      one.wait(60_001);
      one.failAt(second, "after");
      await one.run(tenant).catch(() => {});
      one.wait(60_001);
      await one.run(tenant);
      expect([first, second, stateOf(one).isOne, one.live.size]).toEqual([first, second, true, 1]);
    }
  }
});

test("two simultaneous runs create one key: the second is told that the first is working", async () => {
  const one = world();
  const [first, second] = await Promise.allSettled([one.run(tenant), one.run(tenant)]);
  expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  expect(second).toMatchObject({ reason: { code: "changed_meanwhile" } });
  expect(stateOf(one)).toEqual({ ...whole, isOne: true });
});

test("a second key left by a lost answer is given up once the first key is recorded", async () => {
  const one = world();
  one.live.add("key-0");
  one.manifest.attempts = 1;
  await one.run(tenant);
  one.live.add("key-9");
  one.manifest.state = "intended";
  await one.run(tenant);
  expect([...one.live]).toEqual(["key-0"]);
});

test("all keys of a tenant are removed, named, recorded or neither, and a repeat finds none", async () => {
  const one = world();
  await one.run(tenant);
  one.live.add("key-8");
  expect(await removeKeys(one.keys, "t1", "key-1")).toBe(2);
  expect([one.live.size, one.aliases.size]).toEqual([0, 0]);
  expect(await removeKeys(one.keys, "t1", "key-1")).toBe(0);
});

test("the alias of a key belongs to one stack and one tenant", () => {
  expect(keyAlias("prod", "t1")).toBe("alias/archway/prod/t1");
});
