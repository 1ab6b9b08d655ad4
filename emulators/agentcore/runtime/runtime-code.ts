// The code of a runtime: the files of an archive that the program puts into a bucket, or of a ZIP file that was put there at run time.
import type { Resources } from "../../pulumi/resources.ts";
import type { S3 } from "../../s3/s3.ts";
import type { RuntimeCode } from "./runtime-process.ts";
import { unzipped } from "./zip.ts";

const objectType = "aws:s3/bucketObjectv2:BucketObjectv2";

/** @throws Error if nothing lies there, or no archive. */
export function runtimeCode(resources: Resources, s3: Pick<S3, "bytesOf">, bucket: string, key: string): RuntimeCode {
  const declared = resources.ofType(objectType).find(({ inputs }) => inputs.bucket === bucket && inputs.key === key);
  // The evaluation of the program turns an archive into its files' texts.
  const files = declared && Object.entries((declared.inputs.source ?? {}) as Record<string, string>);
  if (files) return new Map(files.map(([path, text]) => [path, Buffer.from(text)]));
  const bytes = s3.bytesOf(bucket, key);
  if (!bytes) throw new Error(`s3://${bucket}/${key}: there is no such object.`);
  return unzipped(bytes);
}
