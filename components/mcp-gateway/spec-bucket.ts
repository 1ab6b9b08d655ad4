// The bucket of the tenants' OpenAPI documents: uploads, which expire, and what was registered.
import * as pulumi from "@pulumi/pulumi";
import { specPrefixes, uploadKeptDays } from "../../domain/integrations/spec-object.ts";
import type { Link } from "../link.ts";
import { TenantBucket } from "../tenant-bucket.ts";

export class SpecBucket extends pulumi.ComponentResource {
  readonly #bucket: TenantBucket;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:SpecBucket", name, {}, opts);
    const rule = { id: "uploads", prefix: specPrefixes.uploaded, days: uploadKeptDays };
    this.#bucket = new TenantBucket(name, rule, { parent: this });
    this.registerOutputs({});
  }

  /** The bucket's name, with the right to let somebody upload. */
  get uploading(): Link {
    return this.#bucket.writing({ actions: ["s3:PutObject"], prefixes: [specPrefixes.uploaded] });
  }

  /** The bucket's name, with the right to read. */
  get reading(): Link {
    const prefixes = [specPrefixes.uploaded, specPrefixes.registered];
    return this.#bucket.reading({ actions: ["s3:GetObject"], prefixes });
  }

  /** The bucket's name, with the right to keep what was judged. */
  get keeping(): Link {
    const actions = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"];
    return this.#bucket.reading({ actions, prefixes: [specPrefixes.registered] });
  }
}
