// The way to S3: a client that keeps its connections.
import { S3Client } from "@aws-sdk/client-s3";
import { agents } from "../connections.ts";

const timeouts = { connectionTimeout: 1_000, requestTimeout: 5_000 };

export function s3(): S3Client {
  return new S3Client({
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
    // The signature of an upload would name a checksum that the uploader does not know.
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
}
