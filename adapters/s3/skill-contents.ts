// The files of skills' versions in the platform's bucket: an object for each version, with the bytes of its files one after another in the order
// of the manifest, which knows how long each is. So one file is read without the others.
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand } from "@aws-sdk/client-s3";
import { inOrder } from "../../domain/skills/manifest.ts";
import { contentKey, type KeptFiles, type SkillContents } from "../../domain/skills/skill-version.ts";
import { s3 } from "./client.ts";

export function skillContents(bucket: string, client = s3()): SkillContents {
  const at = (tenantId: string, contentId: string) => ({ Bucket: bucket, Key: contentKey(tenantId, contentId) });

  /** @param Range all of the object, unless given */
  async function read({ tenant_id, content_id }: KeptFiles, Range?: string): Promise<Uint8Array | undefined> {
    try {
      const { Body } = await client.send(new GetObjectCommand({ ...at(tenant_id, content_id), Range }));
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  return {
    async put(tenantId, contentId, files) {
      const Body = Buffer.concat(inOrder(files).map(({ content }) => content));
      await client.send(new PutObjectCommand({ ...at(tenantId, contentId), Body }));
    },

    async all(version) {
      const bytes = await read(version);
      return bytes && placesOf(version).map(({ path, from, to }) => ({ path, content: bytes.subarray(from, to) }));
    },

    async one(version, path) {
      const place = placesOf(version).find((file) => file.path === path);
      if (!place) return undefined;
      // There is no range of no bytes (RFC 9110, 14.1.2).
      if (place.from === place.to) return new Uint8Array();
      return read(version, `bytes=${place.from}-${place.to - 1}`);
    },

    async remove(tenantId, contentIds) {
      for (const contentId of contentIds) await client.send(new DeleteObjectCommand(at(tenantId, contentId)));
    },
  };
}

/** Where each file's bytes begin in the object, and where they end. */
function placesOf({ files }: KeptFiles): { path: string; from: number; to: number }[] {
  let end = 0;
  return files.map(({ path, size }) => {
    const from = end;
    end += size;
    return { path, from, to: end };
  });
}
