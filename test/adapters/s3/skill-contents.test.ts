import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { skillContents } from "../../../adapters/s3/skill-contents.ts";
import { manifestOf } from "../../../domain/skills/manifest.ts";
import type { SkillContents } from "../../../domain/skills/skill-version.ts";
import { type SkillBucket, startSkillBucket } from "../../support/skills/skill-bucket.ts";
import { folder, instructions } from "../../support/skills/skill-files.ts";

const files = folder({
  "scripts/run.sh": "echo\n",
  "SKILL.md": instructions(),
  "assets/empty": "",
  "assets/bytes.bin": Uint8Array.from([0, 255, 10, 13, 0x80]),
});
const version = { tenant_id: "t1", content_id: "c1", files: manifestOf(files) };
const manyPaths = files.map(({ path }) => path).toSorted();

let bucket: SkillBucket;
let contents: SkillContents;
beforeEach(async () => {
  bucket = await startSkillBucket();
  contents = skillContents(bucket.name, bucket.client);
  await contents.put("t1", "c1", files);
});
afterEach(() => bucket.close());

test("a version's files are read as they were stored, in the order of their paths", async () => {
  const all = (await contents.all(version)) ?? [];
  expect(all.map(({ path }) => path)).toEqual(manyPaths);
  expect(manifestOf(all)).toEqual(version.files);
});

test("one file of a version is read without the others, also if it is empty or not text", async () => {
  for (const { path, content } of files) {
    expect(Buffer.from((await contents.one(version, path)) ?? "none")).toEqual(Buffer.from(content));
  }
  const read = bucket.calls().filter(({ operation }) => operation === "GetObject");
  // The empty one needs no call.
  expect(read).toHaveLength(files.length - 1);
});

test("a skill's missing version has no content", async () => {
  expect(await contents.one(version, "none.md")).toBeUndefined();
  const gone = { ...version, content_id: "c2" };
  expect([await contents.all(gone), await contents.one(gone, "SKILL.md")]).toEqual([undefined, undefined]);
  expect(await contents.all({ ...version, tenant_id: "t2" })).toBeUndefined();
});

test("removing a version's content removes no other version, and can be repeated", async () => {
  await contents.put("t1", "c2", files);
  await contents.remove("t1", ["c1"]);
  await contents.remove("t1", ["c1"]);
  expect(bucket.keys()).toEqual(["versions/t1/c2"]);
});
