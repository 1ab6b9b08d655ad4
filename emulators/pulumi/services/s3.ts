// S3: buckets, and the files that the program itself puts there.
import type { Descriptor } from "../descriptor.ts";
import { physicalName } from "../names.ts";

export const bucket: Descriptor = {
  type: "aws:s3/bucket:Bucket",
  compute(name, inputs, region) {
    const bucketName = physicalName(name, inputs);
    return {
      id: bucketName,
      outputs: {
        bucket: bucketName,
        arn: `arn:aws:s3:::${bucketName}`,
        bucketRegionalDomainName: `${bucketName}.s3.${region}.amazonaws.com`,
      },
    };
  },
  inputs: { served: "bucket", noEffect: "forceDestroy" },
};

const publicAccessBlock: Descriptor = {
  type: "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
  compute: (name) => ({ id: name, outputs: {} }),
  inputs: { noEffect: "bucket blockPublicAcls blockPublicPolicy ignorePublicAcls restrictPublicBuckets" },
};

const bucketPolicy: Descriptor = {
  type: "aws:s3/bucketPolicy:BucketPolicy",
  compute: (name) => ({ id: name, outputs: {} }),
  // The policy has no effect here: the edge reads the files, and no other principal does.
  inputs: { noEffect: "bucket policy" },
};

export const bucketObject: Descriptor = {
  type: "aws:s3/bucketObjectv2:BucketObjectv2",
  compute: (_name, inputs) => ({ id: `${inputs.bucket}/${inputs.key}`, outputs: {} }),
  inputs: { served: "bucket key source content contentType cacheControl" },
};

/** Objects that the rules expire stay here: a stack does not live for days. */
const lifecycle: Descriptor = {
  type: "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  compute: (_name, inputs) => ({ id: String(inputs.bucket), outputs: {} }),
  inputs: { noEffect: "bucket rules" },
};

export const s3 = [bucket, publicAccessBlock, bucketPolicy, bucketObject, lifecycle];
