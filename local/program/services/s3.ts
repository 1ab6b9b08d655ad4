// S3: buckets, and when their objects go.
import type { Descriptor } from "../descriptor.ts";
import { physicalName } from "../names.ts";

export const bucket: Descriptor = {
  type: "aws:s3/bucket:Bucket",
  compute(logicalName, inputs) {
    const name = typeof inputs.bucket === "string" ? inputs.bucket : physicalName(logicalName, inputs);
    return { id: name, outputs: { bucket: name, arn: `arn:aws:s3:::${name}` } };
  },
  inputs: { served: "bucket" },
};

/** Objects that the rules expire are kept here: a stack does not live for days. */
export const lifecycle: Descriptor = {
  type: "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  compute: (_name, inputs) => ({ id: String(inputs.bucket), outputs: {} }),
  inputs: { noEffect: "bucket rules" },
  wiring({ name, inputs }, { resources }) {
    if (resources.ofType(bucket.type).some(({ outputs }) => outputs.bucket === inputs.bucket)) return [];
    return [`lifecycle of ${name}: its bucket is not declared`];
  },
};

export const s3 = [bucket, lifecycle];
