// What a request to S3 asks for, read from method, path and query (docs.aws.amazon.com/AmazonS3/latest/API).
import { AwsError, type AwsRequest } from "../aws/service.ts";

export type S3Operation =
  | "PutObject"
  | "GetObject"
  | "HeadObject"
  | "DeleteObject"
  | "DeleteObjects"
  | "ListObjectsV2"
  | "HeadBucket";

export type S3Request = { operation: S3Operation; bucket: string; key: string };

const onObject: Record<string, S3Operation> = {
  PUT: "PutObject",
  GET: "GetObject",
  HEAD: "HeadObject",
  DELETE: "DeleteObject",
};

/** An address has the bucket in its path, as clients write it for an endpoint that is an IP address. */
export function s3RequestOf({ method, path, query }: Pick<AwsRequest, "method" | "path" | "query">): S3Request {
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  const operation = key === "" ? onBucket(method, query) : onObject[method];
  // An upload in parts, tags and the like are queries on an object.
  const isPlain = [...query.keys()].every((name) =>
    /^(X-Amz-.*|x-id|list-type|delete|prefix|max-keys|delimiter|continuation-token|start-after|encoding-type)$/i.test(
      name,
    ),
  );
  if (operation && isPlain) return { operation, bucket, key: decodeURIComponent(key) };
  throw new AwsError("NotImplemented", `The local S3 does not emulate ${method} ${path}?${query}`, 501);
}

function onBucket(method: string, query: URLSearchParams): S3Operation | undefined {
  if (method === "POST" && query.has("delete")) return "DeleteObjects";
  if (method === "GET" && query.get("list-type") === "2") return "ListObjectsV2";
  return method === "HEAD" ? "HeadBucket" : undefined;
}

/** The body as it was before a client cut it into chunks with a checksum at the end. */
export function bodyIn({ headers, body }: Pick<AwsRequest, "headers" | "body">): Buffer {
  if (!String(headers["content-encoding"] ?? "").includes("aws-chunked")) return body;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** The keys that DeleteObjects names. */
export function keysToDelete(body: Buffer): string[] {
  return [...body.toString("utf8").matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => unescaped(key));
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
