import { KMSClient } from "@aws-sdk/client-kms";
import { ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { kmsKeys } from "../../../adapters/kms/keys.ts";
import { defaultKeyPolicy } from "../../../emulators/iam/iam.ts";
import { Kms } from "../../../emulators/kms/kms.ts";
import { ResourceGroupsTagging } from "../../../emulators/resource-groups-tagging/resource-groups-tagging.ts";
import { Store } from "../../../emulators/store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

let store: Store;
let kms: Kms;
let endpoint: RunningEndpoint;
let clients: [KMSClient, ResourceGroupsTaggingAPIClient];
beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(aRole("provision", [allow(["kms:*", "tag:GetResources"], "*")])),
    services: ({ clock }) => {
      kms = new Kms({ store, clock });
      return [kms, new ResourceGroupsTagging(() => kms.keys())];
    },
    policyOf: (arn) => kms.policyOf(arn),
  });
  const options = clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("provision")));
  clients = [new KMSClient(options), new ResourceGroupsTaggingAPIClient(options)];
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await endpoint.close();
  store.close();
});

const keys = (stack = "dev") => kmsKeys({ stack, policy: defaultKeyPolicy }, ...clients);
const stateOf = (arn: string) => kms.keys().find((key) => key.arn === arn)?.state;
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("a tenant's key is created with the tags of stack and tenant and the given policy, and is found by them before it has an alias", async () => {
  const arn = await keys().create("t1");
  expect(kms.keys()).toMatchObject([
    { arn, tags: { archway_stack: "dev", tenant_id: "t1" }, policy: defaultKeyPolicy },
  ]);
  expect(await keys().named("t1")).toBeUndefined();
  expect(await keys().tagged("t1")).toEqual([arn]);
  expect([await keys().tagged("t2"), await keys("prod").tagged("t1")]).toEqual([[], []]);
});

test("a tenant's key is found by its alias, which it keeps if another key should get it", async () => {
  const [first, second] = [await keys().create("t1"), await keys().create("t1")];
  await keys().name("t1", first);
  await keys().name("t1", second);
  expect(await keys().named("t1")).toBe(first);
  expect(await keys("prod").named("t1")).toBeUndefined();
});

test("a tenant's key that is given up is disabled and waits 30 days for deletion, and is no longer the tenant's", async () => {
  const arn = await keys().create("t1");
  await keys().name("t1", arn);
  expect([await keys().isPendingDeletion(arn), await keys().remove(arn)]).toEqual([false, true]);
  await keys().unname("t1");
  expect([stateOf(arn), await keys().tagged("t1"), await keys().named("t1")]).toEqual([
    "PendingDeletion",
    [],
    undefined,
  ]);
  expect([await keys().remove(arn), await keys().isPendingDeletion(arn)]).toEqual([false, true]);
  await keys().unname("t1");
  endpoint.clock.advance(30 * 86_400_000);
  expect([kms.keys(), await keys().remove(arn)]).toEqual([[], false]);
});

test("deleting a tenant's key continues if it was interrupted after disabling the key", async () => {
  const arn = await keys().create("t1");
  endpoint.faults.put([{ service: "kms", operation: "ScheduleKeyDeletion", when: "before", kind: "error" }]);
  await expect(keys().remove(arn)).rejects.toThrow();
  expect(stateOf(arn)).toBe("Disabled");
  expect(await keys().remove(arn)).toBe(true);
});

test("all keys of a stack are found, page by page, and none of another stack", async () => {
  for (let n = 0; n < 60; n++) await keys().create(`t${n}`);
  await keys("prod").create("t1");
  const found = await all(keys().ofStack());
  expect(new Set(found.map(({ tenantId }) => tenantId)).size).toBe(60);
});
