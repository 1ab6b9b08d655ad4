// The bucket of the tenants' OpenAPI documents: uploads, which go by themselves, and what was registered.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { specPrefixes, uploadKeptDays } from "../../domain/mcp/spec-object.ts";
import { Link, type Statement } from "../link.ts";

export class SpecBucket extends pulumi.ComponentResource {
  readonly #bucket: aws.s3.Bucket;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:SpecBucket", name, {}, opts);
    this.#bucket = new aws.s3.Bucket(name, {}, { parent: this });
    new aws.s3.BucketLifecycleConfiguration(
      name,
      {
        bucket: this.#bucket.id,
        rules: [
          {
            id: "uploads",
            status: "Enabled",
            filter: { prefix: specPrefixes.uploaded },
            expiration: { days: uploadKeptDays },
          },
        ],
      },
      { parent: this },
    );
    this.registerOutputs({});
  }

  /** The bucket's name, with the right to let somebody upload. */
  get uploading(): Link {
    return this.#link([{ actions: ["s3:PutObject"], resources: [this.#objects(specPrefixes.uploaded)] }]);
  }

  /** The bucket's name, with the right to read. */
  get reading(): Link {
    const resources = [this.#objects(specPrefixes.uploaded), this.#objects(specPrefixes.registered)];
    return this.#link([{ actions: ["s3:GetObject"], resources }, this.#telling]);
  }

  /** The bucket's name, with the right to keep what was judged. */
  get keeping(): Link {
    const actions = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"];
    return this.#link([{ actions, resources: [this.#objects(specPrefixes.registered)] }, this.#telling]);
  }

  /** Without it S3 says of an object that is not there that it may not be read (API_GetObject.html, "Permissions"). */
  get #telling(): Statement {
    return { actions: ["s3:ListBucket"], resources: [this.#bucket.arn] };
  }

  #objects(prefix: string): pulumi.Output<string> {
    return pulumi.interpolate`${this.#bucket.arn}/${prefix}*`;
  }

  #link(allow: Statement[]): Link {
    return new Link(this.#bucket.bucket, allow);
  }
}
