// Tenants' OpenAPI documents in the platform's bucket. Every name begins with the tenant's id, and nobody gives a whole name.
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { SpecReader } from "../../domain/integrations/spec-check.ts";
import {
  registeredSpecKey,
  type SpecStore,
  type SpecUploads,
  uploadedSpecKey,
} from "../../domain/integrations/spec-object.ts";
import { mostDocumentBytes } from "../../domain/openapi/document.ts";
import { registeredSpecSchema } from "../../domain/openapi/registered-spec.ts";
import { s3 } from "./client.ts";

export function specReader(bucket: string, client = s3()): SpecReader {
  return {
    // The range ends one byte above the limit, so that a document that is too large shows by its length.
    uploaded: (tenantId, upload) => textOf(uploadedSpecKey(tenantId, upload), `bytes=0-${mostDocumentBytes}`),
    async registered({ tenant_id, server_id, spec_version }) {
      if (spec_version === undefined) return undefined;
      const text = await textOf(registeredSpecKey({ tenant_id, server_id }, spec_version));
      return text === undefined ? undefined : registeredSpecSchema.parse(JSON.parse(text));
    },
  };

  /** S3 answers 416 to a range of an empty object. */
  async function textOf(Key: string, Range?: string): Promise<string | undefined> {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key, Range }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey || (error as Error).name === "InvalidRange") return undefined;
      throw error;
    }
  }
}

export function specStore(bucket: string, client = s3()): SpecStore {
  return {
    async put(server, version, spec) {
      const Key = registeredSpecKey(server, version);
      const ContentType = "application/json";
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(spec), ContentType }));
    },
    async remove(server, version) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: registeredSpecKey(server, version) }));
    },
  };
}

/** The right to sign is the right to put: an address works only as long as its signer's rights do. */
export function specUploads(bucket: string, client = s3()): SpecUploads {
  return {
    async addressFor(tenantId, upload, { bytes, seconds }) {
      const Key = uploadedSpecKey(tenantId, upload);
      const command = new PutObjectCommand({ Bucket: bucket, Key, ContentLength: bytes });
      const url = await getSignedUrl(client, command, {
        expiresIn: seconds,
        // The length that was announced is part of the signature, so nothing larger gets in.
        signableHeaders: new Set(["content-length", "host"]),
        unhoistableHeaders: new Set(["content-length"]),
      });
      return { url, uri: `s3://${bucket}/${Key}` };
    },
    uploadOf(tenantId, uri) {
      const prefix = `s3://${bucket}/${uploadedSpecKey(tenantId, "")}`;
      return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
    },
  };
}
