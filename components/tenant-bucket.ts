// A private bucket of tenants' objects: those below one prefix expire, and each function that links to it gets rights by prefix.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { Link } from "./link.ts";

type Rule = { id: string; prefix: string; days: number };
/** Actions on the objects below a prefix. */
type Right = { actions: string[]; prefixes: string[] };

export class TenantBucket {
  readonly #bucket: aws.s3.Bucket;

  constructor(name: string, { id, prefix, days }: Rule, opts: pulumi.CustomResourceOptions) {
    this.#bucket = new aws.s3.Bucket(name, {}, opts);
    const rule = { id, status: "Enabled", filter: { prefix }, expiration: { days } };
    new aws.s3.BucketLifecycleConfiguration(name, { bucket: this.#bucket.id, rules: [rule] }, opts);
  }

  /** The bucket's name, with rights to write alone. */
  writing(right: Right): Link {
    return new Link(this.#bucket.bucket, [this.#statement(right)]);
  }

  /**
   * The bucket's name, with rights of which some read. Without `s3:ListBucket` S3 says of an object that is not there that it may not be read
   * (API_GetObject.html, "Permissions").
   */
  reading(...rights: Right[]): Link {
    const telling = { actions: ["s3:ListBucket"], resources: [this.#bucket.arn] };
    return new Link(this.#bucket.bucket, [...rights.map((right) => this.#statement(right)), telling]);
  }

  #statement({ actions, prefixes }: Right) {
    return { actions, resources: prefixes.map((prefix) => pulumi.interpolate`${this.#bucket.arn}/${prefix}*`) };
  }
}
