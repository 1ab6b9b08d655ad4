// A bucket as a distribution's origin: the files that the program declares in it.
import { createHash } from "node:crypto";
import type { HttpRequest } from "../../emulators/lambda/event.ts";
import type { OriginAnswer } from "../../emulators/lambda/function-url.ts";
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import { bucketObject } from "../../emulators/pulumi/services/s3.ts";
import { type LocalPlatform, reachableConfig } from "./console-addresses.ts";

const accessDenied = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";

type StoredFile = { body: string; headers: Record<string, string> };

export class BucketOrigin {
  readonly host: string;
  readonly #files: ReadonlyMap<string, StoredFile>;

  constructor({ outputs }: DeclaredResource, resources: Resources, local: LocalPlatform) {
    this.host = outputs.bucketRegionalDomainName;
    const declared = resources.ofType(bucketObject.type).filter(({ inputs }) => inputs.bucket === outputs.id);
    this.#files = new Map(declared.map(({ inputs }) => [`/${inputs.key}`, fileOf(inputs, local)]));
  }

  /** A key that is not there is 403 to who may not list (docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"). */
  async serve({ method, url, headers }: HttpRequest): Promise<OriginAnswer> {
    const file = this.#files.get(url.split("?")[0] ?? "/");
    if (!file) return { status: 403, headers: { "content-type": "application/xml" }, body: accessDenied };
    if (headers["if-none-match"] === file.headers.etag) return { status: 304, headers: file.headers, body: "" };
    return { status: 200, headers: file.headers, body: method === "HEAD" ? "" : file.body };
  }
}

function fileOf(
  { key, source, content, contentType, cacheControl }: DeclaredResource["inputs"],
  local: LocalPlatform,
): StoredFile {
  const text = String(content ?? source);
  const body = key === "config.json" ? reachableConfig(text, local) : text;
  const etag = `"${createHash("md5").update(body).digest("hex")}"`;
  return { body, headers: { "content-type": contentType, "cache-control": cacheControl, etag } };
}
