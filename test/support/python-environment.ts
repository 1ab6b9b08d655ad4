// Tools that are written in Python: an environment of their own in the cache, made at the first run.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const binaries = process.platform === "win32" ? "Scripts" : "bin";

/** For people, without a stack trace. */
export class ToolsMissing extends Error {}

export type PythonTools = {
  /** The path of a program of the environment. */
  program(name: string): string;
  /** Runs a program of the environment. @throws Error if it cannot be run. */
  run(name: string, args: string[]): { stdout: string; stderr: string };
  /** The one file of an installed package. @throws Error if there is not one. */
  read(pattern: string): string;
};

type Wanted = {
  /** The npm script that needs them. */
  script: string;
  /** With their versions, e.g. `cfn-lint==1.58.0`. */
  packages: string[];
  /** Packages that are installed for their data, without their dependencies. */
  alone?: string[];
};

/** @throws ToolsMissing without a Python that is new enough, or with pip's words if the packages cannot be had. */
export function installPythonTools({ script, packages, alone = [] }: Wanted): PythonTools {
  const cache = join(root, "node_modules", ".cache", "archway", script.replace(":", "-"));
  const version = createHash("sha256")
    .update([...packages, ...alone].join(" "))
    .digest("hex")
    .slice(0, 12);
  const folder = join(cache, version);
  const program = (name: string) => join(folder, binaries, name);
  // An environment knows its own path, so it is made in place; the file says that it is whole.
  const complete = join(folder, "complete");
  if (!existsSync(complete)) {
    const python = findPython(script);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    succeed(python, ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    succeed(program("python"), [...pip, ...packages]);
    if (alone.length > 0) succeed(program("python"), [...pip, "--no-deps", ...alone]);
    writeFileSync(complete, "");
  }
  return {
    program,
    run: (name, args) => {
      const { error, stdout, stderr } = spawnSync(program(name), args, options);
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

function findPython(script: string): string {
  const newEnough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  const found = ["python3", "python"].find((name) => spawnSync(name, ["-c", newEnough]).status === 0);
  if (found) return found;
  throw new ToolsMissing(
    `npm run ${script} needs Python 3.10 or newer with venv and pip, as python3 or python on the PATH. Tests do not.`,
  );
}

function succeed(command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new ToolsMissing(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}
