// The files of skills' versions in the platform's bucket: one object for each version, as JSON with the files in base64.
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand } from "@aws-sdk/client-s3";
import * as z from "zod";
import { contentKey, type SkillContents } from "../../domain/skills/skill-version.ts";
import { s3 } from "./client.ts";

const contentSchema = z.object({ files: z.array(z.object({ path: z.string(), content: z.string() })) });

export function skillContents(bucket: string, client = s3()): SkillContents {
  const at = (tenantId: string, contentId: string) => ({ Bucket: bucket, Key: contentKey(tenantId, contentId) });

  return {
    async put(tenantId, contentId, files) {
      const content = files.map(({ path, content }) => ({ path, content: Buffer.from(content).toString("base64") }));
      const Body = JSON.stringify({ files: content });
      await client.send(new PutObjectCommand({ ...at(tenantId, contentId), Body, ContentType: "application/json" }));
    },

    async get(tenantId, contentId) {
      try {
        const { Body } = await client.send(new GetObjectCommand(at(tenantId, contentId)));
        const { files } = contentSchema.parse(JSON.parse((await Body?.transformToString()) ?? ""));
        return files.map(({ path, content }) => ({ path, content: Buffer.from(content, "base64") }));
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },

    async remove(tenantId, contentIds) {
      for (const contentId of contentIds) await client.send(new DeleteObjectCommand(at(tenantId, contentId)));
    },
  };
}
