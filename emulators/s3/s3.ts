// S3: objects in the buckets that the program declares, over the store.
import { createHash } from "node:crypto";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  type Principal,
} from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Iam } from "../iam/iam.ts";
import type { Collection, Store } from "../store.ts";
import { bodyIn, escaped, keysToDelete, type S3Operation, s3RequestOf } from "./requests.ts";

type StoredObject = {
  bucket: string;
  key: string;
  /** base64 */
  content: string;
  etag: string;
  contentType: string;
  metadata: Record<string, string>;
  modifiedAt: number;
};

type S3Options = { store: Store; clock: Clock; iam: Pick<Iam, "decide">; buckets: readonly string[] };

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";
const xmlType = { "content-type": "application/xml" };
const mostKeys = 1_000;

export class S3 implements AwsService {
  readonly signingName = "s3";
  readonly #objects: Collection<StoredObject>;
  readonly #options: S3Options;

  constructor(options: S3Options) {
    this.#objects = options.store.collection("s3-object");
    this.#options = options;
  }

  operation(request: AwsRequest): S3Operation {
    return s3RequestOf(request).operation;
  }

  authorizations(_operation: string, request: AwsRequest): Authorization[] {
    const { operation, bucket, key } = s3RequestOf(request);
    const on = (action: string, name: string) => ({ action: `s3:${action}`, resource: objectArn(bucket, name) });
    if (operation === "ListObjectsV2" || operation === "HeadBucket") {
      const prefix = request.query.get("prefix");
      const context: Authorization["context"] = prefix === null ? {} : { "s3:prefix": prefix };
      return [{ action: "s3:ListBucket", resource: bucketArn(bucket), context }];
    }
    if (operation === "DeleteObjects") return keysToDelete(bodyIn(request)).map((name) => on("DeleteObject", name));
    return [on(operation === "HeadObject" ? "GetObject" : operation, key)];
  }

  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const { operation, bucket, key } = s3RequestOf(request);
    if (!this.#options.buckets.includes(bucket)) {
      throw new AwsError("NoSuchBucket", "The specified bucket does not exist", 404);
    }
    switch (operation) {
      case "PutObject":
        return this.#put(bucket, key, request);
      case "GetObject":
      case "HeadObject":
        return this.#read(bucket, key, request);
      case "DeleteObject":
        this.#objects.delete(`${bucket}/${key}`);
        return { status: 204, headers: {}, body: "" };
      case "DeleteObjects":
        return this.#deleteAll(bucket, keysToDelete(bodyIn(request)));
      case "HeadBucket":
        return { status: 200, headers: {}, body: "" };
      case "ListObjectsV2":
        return this.#list(bucket, request.query);
    }
  }

  failure({ code, message, status }: AwsError): AwsResponse {
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`;
    return { status, headers: xmlType, body };
  }

  /** The text of `s3://bucket/key`, for a service that reads it with the rights of a role. */
  reading(uri: string): { rights: Authorization[]; read: () => string } {
    const [, bucket = "", key = ""] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
    return {
      rights: [{ action: "s3:GetObject", resource: objectArn(bucket, key) }],
      read: () => {
        const object = this.#objects.get(`${bucket}/${key}`);
        if (!object) throw new Error(`${uri}: there is no such object.`);
        return Buffer.from(object.content, "base64").toString("utf8");
      },
    };
  }

  /** The bytes of an object, if there is one. */
  bytesOf(bucket: string, key: string): Buffer | undefined {
    const content = this.#objects.get(`${bucket}/${key}`)?.content;
    return content === undefined ? undefined : Buffer.from(content, "base64");
  }

  /** All objects without their content, for tests and readers. */
  list(): { bucket: string; key: string; bytes: number }[] {
    return this.#objects.all().map(({ bucket, key, content }) => ({
      bucket,
      key,
      bytes: Buffer.byteLength(content, "base64"),
    }));
  }

  #put(bucket: string, key: string, request: AwsRequest): AwsResponse {
    const id = `${bucket}/${key}`;
    if (Buffer.byteLength(key) > 1024) throw new AwsError("KeyTooLongError", "Your key is too long");
    // docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    if (request.headers["if-none-match"] === "*" && this.#objects.get(id)) {
      throw new AwsError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412);
    }
    const content = bodyIn(request);
    const etag = `"${createHash("md5").update(content).digest("hex")}"`;
    const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-"));
    this.#objects.put(id, {
      bucket,
      key,
      content: content.toString("base64"),
      etag,
      contentType: request.headers["content-type"] ?? "binary/octet-stream",
      metadata: Object.fromEntries(metadata.map(([name, value]) => [name, String(value)])),
      modifiedAt: this.#options.clock.now(),
    });
    return { status: 200, headers: { etag }, body: "" };
  }

  async #read(bucket: string, key: string, { method, headers, principal }: AwsRequest): Promise<AwsResponse> {
    const object = this.#objects.get(`${bucket}/${key}`);
    if (!object) throw await this.#missing(bucket, principal);
    const content = Buffer.from(object.content, "base64");
    const range = rangeOf(headers.range, content.length);
    const part = range ? content.subarray(range.start, range.end + 1) : content;
    return {
      status: range ? 206 : 200,
      headers: {
        etag: object.etag,
        "content-type": object.contentType,
        "last-modified": new Date(object.modifiedAt).toUTCString(),
        "accept-ranges": "bytes",
        ...(range && { "content-range": `bytes ${range.start}-${range.end}/${content.length}` }),
        ...object.metadata,
        "content-length": String(part.length),
      },
      body: method === "HEAD" ? "" : part,
    };
  }

  /**
   * The error for a missing object. A caller who may not list the bucket does not learn that it is missing ("Permissions" of
   * API_GetObject.html).
   */
  async #missing(bucket: string, principal: Principal | undefined): Promise<AwsError> {
    const list = { action: "s3:ListBucket", resource: bucketArn(bucket) };
    const may = principal && (await this.#options.iam.decide(principal, list)).allowed;
    return may
      ? new AwsError("NoSuchKey", "The specified key does not exist.", 404)
      : new AwsError("AccessDenied", "Access Denied", 403);
  }

  #deleteAll(bucket: string, keys: string[]): AwsResponse {
    for (const key of keys) this.#objects.delete(`${bucket}/${key}`);
    const deleted = keys.map((key) => `<Deleted><Key>${escaped(key)}</Key></Deleted>`).join("");
    return { status: 200, headers: xmlType, body: `<DeleteResult xmlns="${namespace}">${deleted}</DeleteResult>` };
  }

  #list(bucket: string, query: URLSearchParams): AwsResponse {
    if (query.has("delimiter")) throw new AwsError("NotImplemented", "The local S3 knows no delimiter", 501);
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const most = Math.min(Number(query.get("max-keys") ?? mostKeys), mostKeys);
    const found = this.#objects
      .all()
      .filter((object) => object.bucket === bucket && object.key.startsWith(prefix) && object.key > after)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const page = found.slice(0, most);
    const next = found.length > page.length ? page.at(-1)?.key : undefined;
    const contents = page.map(
      ({ key, etag, content, modifiedAt }) =>
        `<Contents><Key>${escaped(key)}</Key><LastModified>${new Date(modifiedAt).toISOString()}</LastModified>` +
        `<ETag>${escaped(etag)}</ETag><Size>${Buffer.byteLength(content, "base64")}</Size></Contents>`,
    );
    const truncated = `<IsTruncated>${next !== undefined}</IsTruncated>`;
    const token = next === undefined ? "" : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`;
    const count = `<KeyCount>${page.length}</KeyCount><MaxKeys>${most}</MaxKeys>`;
    const body = `<Name>${bucket}</Name><Prefix>${escaped(prefix)}</Prefix>${count}${truncated}${token}${contents.join("")}`;
    return { status: 200, headers: xmlType, body: `<ListBucketResult xmlns="${namespace}">${body}</ListBucketResult>` };
  }
}

function bucketArn(bucket: string): string {
  return `arn:aws:s3:::${bucket}`;
}

function objectArn(bucket: string, key: string): string {
  return `${bucketArn(bucket)}/${key}`;
}

/** Reads a range of bytes (RFC 9110, 14.1.2). @throws AwsError InvalidRange if it begins behind the end */
function rangeOf(header: string | undefined, length: number): { start: number; end: number } | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (start < length && start <= end) return { start, end };
  throw new AwsError("InvalidRange", "The requested range is not satisfiable", 416);
}
