import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { saveReport } from "../../local/permission-report.ts";

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ["local/permissions.ts", ...args], {
    env: { ...process.env, ARCHWAY_PERMISSIONS_DIR: undefined },
  });

test("the merged report of a folder is printed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "permissions-"));
  const use = { role: "proxy", action: "dynamodb:GetItem", allowed: 1, denied: 0, statements: [] };
  await saveReport(folder, { uses: [use], grants: [] });
  await saveReport(folder, { uses: [use], grants: [] });
  const { stdout } = await run(folder);
  expect(stdout).toBe("proxy\n  used    dynamodb:GetItem  2 times\n");
  await rm(folder, { recursive: true });
});

test("npm run permissions without a folder prints its usage, and exits with 2", async () => {
  await expect(run()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("Usage:") });
});
