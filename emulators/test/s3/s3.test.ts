import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { S3 } from "../../s3/s3.ts";
import { Store } from "../../store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const Bucket = "specs";

let store: Store;
let s3: S3;
let endpoint: RunningEndpoint;
const clients: S3Client[] = [];

beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(
      aRole("admin", [allow("s3:*", "*")]),
      aRole("uploader", [allow("s3:PutObject", "arn:aws:s3:::specs/uploads/*")]),
      aRole("reader", [allow("s3:GetObject", "arn:aws:s3:::specs/*")]),
    ),
    services: ({ clock, iam }) => {
      s3 = new S3({ store, clock, iam, buckets: [Bucket] });
      return [s3];
    },
  });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await endpoint.close();
  store.close();
});

function as(role: string, more: object = {}): S3Client {
  const client = new S3Client({ ...clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))), ...more });
  clients.push(client);
  return client;
}

const put = (Key: string, Body: string | Buffer = "hello") =>
  as("admin").send(new PutObjectCommand({ Bucket, Key, Body }));
const textOf = async (Key: string, role = "admin", more: object = {}) => {
  const { Body } = await as(role).send(new GetObjectCommand({ Bucket, Key, ...more }));
  return Body?.transformToString();
};

describe("an object", () => {
  test.each(["plain.json", "t1/a b+ü&<c>.json", "deep/er/one"])(
    "an S3 object named %s can be put, read, described and deleted",
    async (Key) => {
      await put(Key, "hello");
      expect(await textOf(Key)).toBe("hello");
      const { ContentLength, ETag } = await as("admin").send(new HeadObjectCommand({ Bucket, Key }));
      expect({ ContentLength, ETag }).toEqual({ ContentLength: 5, ETag: '"5d41402abc4b2a76b9719d911017c592"' });
      await as("admin").send(new DeleteObjectCommand({ Bucket, Key }));
      await expect(textOf(Key)).rejects.toThrow(NoSuchKey);
      expect(s3.list()).toEqual([]);
    },
  );

  test("an S3 object may be read in part", async () => {
    await put("one", "0123456789");
    expect(await textOf("one", "admin", { Range: "bytes=2-4" })).toBe("234");
    expect(await textOf("one", "admin", { Range: "bytes=0-999" })).toBe("0123456789");
    await put("empty", Buffer.alloc(0));
    await expect(textOf("empty", "admin", { Range: "bytes=0-9" })).rejects.toMatchObject({ name: "InvalidRange" });
  });

  test('a missing S3 object is answered with "access denied" for callers who may not list', async () => {
    await expect(textOf("nothing", "reader")).rejects.toMatchObject({ name: "AccessDenied" });
  });

  test("an S3 object is not replaced if the call forbids it", async () => {
    await put("one");
    const again = new PutObjectCommand({ Bucket, Key: "one", Body: "x", IfNoneMatch: "*" });
    await expect(as("admin").send(again)).rejects.toMatchObject({ name: "PreconditionFailed" });
  });

  test("an S3 object is written and read only with the role's rights, and only in a declared bucket", async () => {
    const own = new PutObjectCommand({ Bucket, Key: "uploads/t1", Body: "x" });
    await as("uploader").send(own);
    const other = new PutObjectCommand({ Bucket, Key: "registered/t1", Body: "x" });
    await expect(as("uploader").send(other)).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(
      as("admin").send(new PutObjectCommand({ Bucket: "elsewhere", Key: "x", Body: "x" })),
    ).rejects.toMatchObject({ name: "NoSuchBucket" });
  });

  test("another service reads an S3 object with the role's rights, and names the right that is missing", async () => {
    await put("t1/spec.json", "{}");
    const { rights, read } = s3.reading("s3://specs/t1/spec.json");
    expect(rights).toEqual([{ action: "s3:GetObject", resource: "arn:aws:s3:::specs/t1/spec.json" }]);
    expect(read()).toBe("{}");
    expect(() => s3.reading("s3://specs/t2/spec.json").read()).toThrow("no such object");
  });
});

test("S3 objects are listed by prefix, page by page, and can be deleted together", async () => {
  for (const key of ["a/1", "a/2", "a/3", "b/1"]) await put(key);
  const first = await as("admin").send(new ListObjectsV2Command({ Bucket, Prefix: "a/", MaxKeys: 2 }));
  expect(first).toMatchObject({ IsTruncated: true, Contents: [{ Key: "a/1", Size: 5 }, { Key: "a/2" }] });
  const rest = await as("admin").send(
    new ListObjectsV2Command({ Bucket, Prefix: "a/", ContinuationToken: first.NextContinuationToken }),
  );
  expect(rest.Contents?.map(({ Key }) => Key)).toEqual(["a/3"]);
  const Objects = ["a/1", "a/2", "a/3"].map((Key) => ({ Key }));
  await as("admin").send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(s3.list().map(({ key }) => key)).toEqual(["b/1"]);
});

describe("a presigned address", () => {
  const address = (role: string, length: number, expiresIn = 60) =>
    getSignedUrl(
      as(role, { requestChecksumCalculation: "WHEN_REQUIRED" }),
      new PutObjectCommand({ Bucket, Key: "uploads/t1 a.json", ContentLength: length }),
      {
        expiresIn,
        signableHeaders: new Set(["content-length", "host"]),
        unhoistableHeaders: new Set(["content-length"]),
      },
    );
  const upload = (url: string, body: string) => fetch(url, { method: "PUT", body });

  test("a presigned address of S3 accepts the announced object from any client", async () => {
    const { status } = await upload(await address("uploader", 5), "hello");
    expect(status).toBe(200);
    expect(await textOf("uploads/t1 a.json")).toBe("hello");
    const read = await getSignedUrl(as("admin"), new GetObjectCommand({ Bucket, Key: "uploads/t1 a.json" }));
    expect(await (await fetch(read)).text()).toBe("hello");
  });

  test("a presigned address of S3 accepts no larger object, and no other name", async () => {
    const url = await address("uploader", 5);
    const larger = await upload(url, "hello!");
    expect([larger.status, await larger.text()]).toEqual([403, expect.stringContaining("SignatureDoesNotMatch")]);
    expect((await upload(url.replace("t1", "t2"), "hello")).status).toBe(403);
  });

  test("a presigned address of S3 expires, and gives no right that its signer lacks", async () => {
    const url = await address("uploader", 5, 60);
    endpoint.clock.advance(61_000);
    const late = await upload(url, "hello");
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining("Request has expired")]);
    expect((await upload(await address("reader", 5, 3_600), "hello")).status).toBe(403);
  });
});
