import { S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { specReader, specStore, specUploads } from "../../../adapters/s3/specs.ts";
import { mostDocumentBytes } from "../../../domain/openapi/document.ts";
import { S3 } from "../../../emulators/s3/s3.ts";
import { Store } from "../../../emulators/store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

const [first, second] = [aRegisteredSpec("first"), aRegisteredSpec("second")];
const bucket = "specs";
const server = { tenant_id: "t1", server_id: "srv_1" };

let store: Store;
let endpoint: RunningEndpoint;
let client: S3Client;

beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(aRole("admin", [allow("s3:*", "*")])),
    services: ({ clock, iam }) => [new S3({ store, clock, iam, buckets: [bucket] })],
  });
  client = new S3Client(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("admin"))));
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
  store.close();
});

test("each version of a registered document is stored separately, until it is removed", async () => {
  const [specs, reader] = [specStore(bucket, client), specReader(bucket, client)];
  await specs.put(server, 1, first);
  await specs.put(server, 2, second);
  expect(await reader.registered({ ...server, spec_version: 1 })).toEqual(first);
  await specs.remove(server, 1);
  await specs.remove(server, 1);
  expect(await reader.registered({ ...server, spec_version: 1 })).toBeUndefined();
  expect(await reader.registered({ ...server, spec_version: 2 })).toEqual(second);
  expect(await reader.registered({ ...server, tenant_id: "t2", spec_version: 2 })).toBeUndefined();
  expect(await reader.registered({ ...server, spec_version: undefined })).toBeUndefined();
});

test("an upload address accepts one document of the announced length, only for its tenant", async () => {
  const uploads = specUploads(bucket, client);
  const { url, uri } = await uploads.addressFor("t1", "u1", { bytes: 5, seconds: 60 });
  expect((await fetch(url, { method: "PUT", body: "larger" })).status).toBe(403);
  expect((await fetch(url, { method: "PUT", body: "hello" })).status).toBe(200);
  expect([uploads.uploadOf("t1", uri), uploads.uploadOf("t2", uri)]).toEqual(["u1", undefined]);
  expect(uploads.uploadOf("t1", uri.replace(bucket, "other"))).toBeUndefined();
  const reader = specReader(bucket, client);
  expect([await reader.uploaded("t1", "u1"), await reader.uploaded("t2", "u1")]).toEqual(["hello", undefined]);
});

test("a document that is too large is read up to one byte beyond the limit, and an empty one counts as missing", async () => {
  const uploads = specUploads(bucket, client);
  for (const [upload, bytes] of [["large", mostDocumentBytes + 1_000] as const, ["empty", 0] as const]) {
    const { url } = await uploads.addressFor("t1", upload, { bytes, seconds: 60 });
    expect((await fetch(url, { method: "PUT", body: "a".repeat(bytes) })).status).toBe(200);
  }
  const reader = specReader(bucket, client);
  expect(await reader.uploaded("t1", "large")).toHaveLength(mostDocumentBytes + 1);
  expect(await reader.uploaded("t1", "empty")).toBeUndefined();
});
