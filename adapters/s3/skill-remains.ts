// All that the bucket of skills holds of a tenant, for a purge.
import { DeleteObjectsCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { OutsideResources } from "../../domain/provisioning/outside-resources.ts";
import { skillObjects } from "../../domain/skills/skill-version.ts";
import { s3 } from "./client.ts";

export function skillRemains(bucket: string, client = s3()): OutsideResources {
  /** A page has 1,000 objects, as many as one call removes. */
  async function removeAll(Prefix: string): Promise<number> {
    let removed = 0;
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix })) {
      if (Contents.length === 0) continue;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await client.send(command);
      if (Errors.length > 0) throw new Error(`${Errors.length} objects of a tenant's skills could not be removed`);
      removed += Contents.length;
    }
    return removed;
  }

  return {
    steps: [],
    setUp: async () => {},
    async remove(tenantId) {
      const versions = await removeAll(`${skillObjects.versions}${tenantId}/`);
      return { skill_object: versions + (await removeAll(`${skillObjects.runs}${tenantId}/`)) };
    },
  };
}
