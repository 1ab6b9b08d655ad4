// The programs of the runtime providers: what is in an archive, and that nothing of this machine is.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { runtimeArchive, runtimeFiles } from "../../../components/mcp-gateway/runtime-program.ts";
import { runtimeProviders } from "../../../domain/marketplace/providers.ts";
import { unzipped } from "../../../emulators/agentcore/runtime/zip.ts";

const byId = runtimeProviders.map((one) => [one.provider_id, one] as const);

test.each(byId)(
  "the runtime program of %s contains the bridge, its server and the files that it reads, as modules",
  async (_, provider) => {
    const { hash, archive } = runtimeArchive(provider);
    const files = unzipped(readFileSync(await archive.path));
    expect([...files.keys()].sort()).toEqual(
      [
        ...["main.js", "confined-network.js", "provider.json", "package.json", "server/index.js"],
        ...(provider.files ?? []),
      ].sort(),
    );
    expect(JSON.parse(String(files.get("provider.json")))).toEqual({
      variables: [provider.secret_variable, ...provider.configuration.map(({ name }) => name)],
      hosts: provider.hosts,
    });
    expect(JSON.parse(String(files.get("package.json")))).toEqual({ type: "module" });
    // 250 MB zipped is the most (bedrock-agentcore-limits.html); a start reads all of it.
    expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(5_000_000);
    expect(runtimeArchive(provider).hash).toBe(hash);
  },
);

test.each(byId)(
  "the runtime program of %s is a package whose version is pinned with its integrity, and that runs no script when it is installed",
  (_, provider) => {
    const { packages, ...lock } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    expect(lock.lockfileVersion).toBe(3);
    const pinned = packages[`node_modules/${provider.package}`];
    expect(packages[""].dependencies[provider.package]).toBe(pinned.version);
    expect(pinned).toMatchObject({ integrity: expect.stringMatching(/^sha512-/), license: "MIT" });
    expect(pinned.hasInstallScript).toBeUndefined();
  },
);

test.each(byId)("the runtime program of %s names no folder of the machine that built it", (_, provider) => {
  expect(JSON.stringify(runtimeFiles(provider))).not.toContain(process.cwd());
});
