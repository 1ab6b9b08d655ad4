// The bucket of skills: what their versions hold, and what runs take and give, which goes by itself.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { skillObjects } from "../../domain/skills/skill-version.ts";
import { Link, type Statement } from "../link.ts";

export class SkillBucket extends pulumi.ComponentResource {
  readonly #bucket: aws.s3.Bucket;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:SkillBucket", name, {}, opts);
    this.#bucket = new aws.s3.Bucket(name, {}, { parent: this });
    new aws.s3.BucketLifecycleConfiguration(
      name,
      {
        bucket: this.#bucket.id,
        rules: [
          {
            id: "runs",
            status: "Enabled",
            filter: { prefix: skillObjects.runs },
            expiration: { days: skillObjects.runDays },
          },
        ],
      },
      { parent: this },
    );
    this.registerOutputs({});
  }

  /** The bucket's name, with the rights of the control plane: it keeps versions, gives runs what they take, and reads what they gave. */
  get serving(): Link {
    const runs = { actions: ["s3:GetObject", "s3:PutObject"], resources: [this.#objects(skillObjects.runs)] };
    const actions = [...runs.actions, "s3:DeleteObject"];
    const versions = { actions, resources: [this.#objects(skillObjects.versions)] };
    return this.#link([versions, runs, this.#telling]);
  }

  /** The bucket's name, with the rights of who runs scripts: it reads versions, and what runs take, and keeps what they give. */
  get running(): Link {
    const runs = { actions: ["s3:GetObject", "s3:PutObject"], resources: [this.#objects(skillObjects.runs)] };
    const versions = { actions: ["s3:GetObject"], resources: [this.#objects(skillObjects.versions)] };
    return this.#link([versions, runs, this.#telling]);
  }

  /** The bucket's name, with the right to find and remove all of a tenant. */
  get removing(): Link {
    return this.#link([{ actions: ["s3:DeleteObject"], resources: [this.#objects("")] }, this.#telling]);
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
