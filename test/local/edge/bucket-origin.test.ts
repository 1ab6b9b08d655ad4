import { expect, test } from "@jest/globals";
import type { DeclaredResource } from "../../../emulators/pulumi/resources.ts";
import { Resources } from "../../../emulators/pulumi/resources.ts";
import { bucketObject } from "../../../emulators/pulumi/services/s3.ts";
import { BucketOrigin } from "../../../local/edge/bucket-origin.ts";

const local = {
  domain: "localhost",
  region: "eu-central-1",
  edge: "http://127.0.0.1:8787",
  aws: "http://127.0.0.1:4566",
};
const bucket = {
  type: "aws:s3/bucket:Bucket",
  name: "console",
  inputs: {},
  outputs: { id: "console-local", bucketRegionalDomainName: "console-local.s3.eu-central-1.amazonaws.com" },
};
const object = (inputs: Record<string, string>, name = "console-local"): DeclaredResource => ({
  type: bucketObject.type,
  name: String(inputs.key),
  inputs: { bucket: name, contentType: "text/html", cacheControl: "no-cache", ...inputs },
  outputs: {},
});
const origin = new BucketOrigin(
  bucket,
  new Resources([
    object({ key: "index.html", source: "<p>Here</p>" }),
    object({ key: "config.json", content: '{"api_url":"https://api.localhost"}', contentType: "application/json" }),
    object({ key: "other.html", source: "not here" }, "another-bucket"),
  ]),
  local,
);
const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  origin.serve({ method, url, headers, body: Buffer.alloc(0), sourceIp: "127.0.0.1" });

test("a file of the console is served with its media type, its cache lifetime, and an ETag", async () => {
  const { status, headers, body } = await get("/index.html?x=1");
  expect([status, body]).toEqual([200, "<p>Here</p>"]);
  expect(headers).toMatchObject({ "content-type": "text/html", "cache-control": "no-cache" });
  expect((await get("/index.html", { "if-none-match": String(headers.etag) })).status).toBe(304);
  expect(await get("/index.html", {}, "HEAD")).toMatchObject({ status: 200, body: "" });
});

test("the local config.json has this machine's addresses", async () => {
  expect(JSON.parse(String((await get("/config.json")).body))).toEqual({ api_url: "http://127.0.0.1:8787/@api" });
});

test.each(["/missing.js", "/other.html", "/%E0%A4%A", "/"])(
  "a key that is not in the bucket is answered with 403: %s",
  async (url) => {
    expect((await get(url)).status).toBe(403);
  },
);
