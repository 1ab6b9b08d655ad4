// The bucket of skills: the files of their versions, and the input and outputs of runs, which expire.
import * as pulumi from "@pulumi/pulumi";
import { runObjectRetention, skillObjects } from "../../domain/skills/skill-version.ts";
import type { Link } from "../link.ts";
import { TenantBucket } from "../tenant-bucket.ts";

const runs = { actions: ["s3:GetObject", "s3:PutObject"], prefixes: [skillObjects.runs] };

export class SkillBucket extends pulumi.ComponentResource {
  readonly #bucket: TenantBucket;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:SkillBucket", name, {}, opts);
    const rule = { id: "runs", prefix: skillObjects.runs, days: runObjectRetention.days };
    this.#bucket = new TenantBucket(name, rule, { parent: this });
    this.registerOutputs({});
  }

  /** The bucket's name, with the rights of the control plane: it keeps versions, gives runs their input, and reads their outputs. */
  get serving(): Link {
    const actions = [...runs.actions, "s3:DeleteObject"];
    return this.#bucket.reading({ actions, prefixes: [skillObjects.versions] }, runs);
  }

  /** The bucket's name, with the rights of who runs scripts: it reads versions and the input of runs, and keeps their outputs. */
  get running(): Link {
    return this.#bucket.reading({ actions: ["s3:GetObject"], prefixes: [skillObjects.versions] }, runs);
  }

  /** The bucket's name, with the right to find and remove all of a tenant. */
  get removing(): Link {
    return this.#bucket.reading({ actions: ["s3:DeleteObject"], prefixes: [""] });
  }
}
