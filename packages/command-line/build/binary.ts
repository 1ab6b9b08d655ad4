// A bundle with the Node in it that runs this script, for the system that it runs on.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Node finds the bundle in its binary by this mark (nodejs.org/api/single-executable-applications.html). */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

type Source = {
  /** The program's name. */
  name: string;
  /** Where the binary goes unless a file is given. */
  dist: string;
  /** Writes the bundle into a file. */
  bundle: (outfile: string) => Promise<string>;
};

/** @param outfile where the binary goes; the program's name in `dist`, on Windows with `.exe`, unless given. */
export async function binary(
  { name, dist, bundle }: Source,
  outfile = join(dist, process.platform === "win32" ? `${name}.exe` : name),
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "archway-binary-"));
  const main = join(folder, `${name}.cjs`);
  const output = join(folder, `${name}.blob`);
  const config = join(folder, "config.json");
  await bundle(main);
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: true }));
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "ignore" });
  mkdirSync(dirname(outfile), { recursive: true });
  copyFileSync(process.execPath, outfile);
  chmodSync(outfile, 0o755);
  const isMac = process.platform === "darwin";
  if (isMac) execFileSync("codesign", ["--remove-signature", outfile]);
  const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
  const forMac = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  const args = [postject, outfile, "NODE_SEA_BLOB", output, "--sentinel-fuse", fuse, ...forMac];
  execFileSync(process.execPath, args, { stdio: "ignore" });
  // macOS starts only signed programs; a publisher signs again with its own name.
  if (isMac) execFileSync("codesign", ["--sign", "-", outfile]);
  return outfile;
}
