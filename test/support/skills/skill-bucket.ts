// The local S3 with a bucket of skills, for tests of the adapters that use it.
import { S3Client } from "@aws-sdk/client-s3";
import { S3 } from "../../../emulators/s3/s3.ts";
import { Store } from "../../../emulators/store.ts";
import { clientOptions, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

export type SkillBucket = Awaited<ReturnType<typeof startSkillBucket>>;

export async function startSkillBucket() {
  const name = "skills";
  const store = new Store(":memory:");
  let objects: S3 | undefined;
  const endpoint = await startEndpoint({
    resources: resources(aRole("admin", [allow("s3:*", "*")])),
    services: ({ clock, iam }) => {
      objects = new S3({ store, clock, iam, buckets: [name] });
      return [objects];
    },
  });
  const client = new S3Client(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("admin"))));
  return {
    name,
    client,
    faults: endpoint.faults,
    calls: () => endpoint.calls.all(),
    keys: () => (objects?.list() ?? []).map(({ key }) => key).toSorted(),
    async close() {
      client.destroy();
      await endpoint.close();
      store.close();
    },
  };
}
