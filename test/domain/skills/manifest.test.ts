import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { digestOf, manifestOf } from "../../../domain/skills/manifest.ts";
import { folder } from "../../support/skills/skill-files.ts";

const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

test("the digest of a version is computed from its manifest's JSON, in the order of the paths", () => {
  const manifest = manifestOf(folder({ b: "two", "a/c": "one" }));
  expect(manifest).toEqual([
    { path: "a/c", size: 3, digest: sha256("one") },
    { path: "b", size: 3, digest: sha256("two") },
  ]);
  const json = `[{"path":"a/c","size":3,"digest":"${sha256("one")}"},{"path":"b","size":3,"digest":"${sha256("two")}"}]`;
  expect(digestOf(manifest)).toBe(sha256(json));
});
