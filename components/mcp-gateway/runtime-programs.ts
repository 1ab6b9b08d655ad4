// The programs of the marketplace's runtime providers, in a bucket from which AgentCore takes them.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { runtimeProviders } from "../../domain/marketplace/providers.ts";
import { Link } from "../link.ts";
import { runtimeArchive } from "./runtime-program.ts";

export class RuntimePrograms extends pulumi.ComponentResource {
  readonly #bucket: aws.s3.Bucket;
  readonly #keys: Record<string, string> = {};

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:RuntimePrograms", name, {}, opts);
    this.#bucket = new aws.s3.Bucket(name, {}, { parent: this });
    for (const provider of runtimeProviders) {
      const id = provider.provider_id;
      const { hash, archive } = runtimeArchive(provider);
      const key = `${id}/${hash}.zip`;
      this.#keys[id] = key;
      // A runtime keeps the program of its version until its integration is changed: what is replaced here stays in the bucket.
      new aws.s3.BucketObjectv2(
        `${name}-${id}`,
        { bucket: this.#bucket.bucket, key, source: archive },
        { parent: this, retainOnDelete: true },
      );
    }
    this.registerOutputs({});
  }

  /** Where the programs lie, with the right to make runtimes of them: AgentCore reads as the caller who makes one. */
  get running(): Link {
    const programs = this.#keys;
    const value = this.#bucket.bucket.apply((bucket) => JSON.stringify({ bucket, programs }));
    return new Link(value, [{ actions: ["s3:GetObject"], resources: [pulumi.interpolate`${this.#bucket.arn}/*`] }]);
  }
}
