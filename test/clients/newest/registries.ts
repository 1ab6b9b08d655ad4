// Installs the newest version of a client from its registry, into a folder of its own.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export type Registry = "npm" | "PyPI" | "Go" | "Maven";

export type Installed = { version: string; folder: string };

const programs = fileURLToPath(new URL("programs", import.meta.url));
const installs: Record<Registry, (folder: string, packages: readonly string[], program: string) => string> = {
  npm: installNode,
  PyPI: installPython,
  Go: installGo,
  Maven: installJava,
};

/**
 * @param packages the first one's version is the client's; one with a version of its own (`NAME@RANGE`) is installed in that
 * @param program of the folder `programs/`, copied beside the packages; empty for a client that is a program itself
 * @throws Error with the registry's own words if the client cannot be had
 */
export function install(registry: Registry, folder: string, packages: readonly string[], program: string): Installed {
  mkdirSync(folder, { recursive: true });
  return { version: installs[registry](folder, packages, program), folder };
}

/** Without install scripts, as the clients of `npm run clients`. */
function installNode(folder: string, packages: readonly string[]): string {
  if (!existsSync(join(folder, "package.json"))) writeFileSync(join(folder, "package.json"), '{"private":true}');
  const wanted = packages.map((name) => (name.includes("@", 1) ? name : `${name}@latest`));
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...wanted], folder);
  cpSync(join(programs, "node"), join(folder, "programs"), { recursive: true });
  const [name = ""] = packages;
  return JSON.parse(readFileSync(join(folder, "node_modules", nameOf(name), "package.json"), "utf8")).version;
}

function installPython(folder: string, packages: readonly string[]): string {
  const python = join(folder, "environment", "bin", "python");
  if (!existsSync(python)) run("python3", ["-m", "venv", join(folder, "environment")], folder);
  run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", ...packages], folder);
  const name = (packages[0] ?? "").replace(/\[.*/, "");
  const ask = `import importlib.metadata as metadata; print(metadata.version("${name}"))`;
  return run(python, ["-c", ask], folder).trim();
}

function installGo(folder: string, packages: readonly string[], program: string): string {
  cpSync(join(programs, "go", program), folder, { recursive: true });
  const [module = ""] = packages;
  if (!existsSync(join(folder, "go.mod"))) run("go", ["mod", "init", "play"], folder);
  run("go", ["get", ...packages.map((name) => `${name}@latest`)], folder);
  run("go", ["mod", "tidy"], folder);
  run("go", ["build", "-o", "play", "."], folder);
  return run("go", ["list", "-m", "-f", "{{.Version}}", module], folder).trim();
}

function installJava(folder: string, packages: readonly string[], program: string): string {
  cpSync(join(programs, "java", `${program}.java`), join(folder, "src", "main", "java", `${program}.java`));
  writeFileSync(join(folder, "pom.xml"), projectOf(packages));
  run("mvn", ["--batch-mode", "--quiet", "compile", "dependency:copy-dependencies"], folder);
  const [, artifact = ""] = (packages[0] ?? "").split(":");
  const listed = run("mvn", ["--batch-mode", "dependency:list"], folder);
  return new RegExp(`:${artifact}:jar:([^:\\s]+)`).exec(listed)?.[1] ?? "unknown";
}

function projectOf(packages: readonly string[]): string {
  const dependency = (name: string) => {
    const [group, artifact] = name.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>RELEASE</version></dependency>`;
  };
  return `<project><modelVersion>4.0.0</modelVersion><groupId>play</groupId><artifactId>play</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
<dependencies>${packages.map(dependency).join("")}</dependencies></project>`;
}

const nameOf = (wanted: string) => wanted.replace(/(?<=.)@[^/]*$/, "");

function run(command: string, args: string[], cwd: string): string {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const options = { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, env: { ...process.env, PATH: path } } as const;
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  throw new Error(lastWords(error ? String(error) : `${stdout}\n${stderr}`));
}

/** The line that says the most, without the registry's address. */
function lastWords(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => /error|cannot|could not|forbidden|not found/i.test(line));
  return (lines[0] ?? output.trim().split("\n").at(-1) ?? "").replaceAll(/https?:\/\/\S+/g, "...").slice(0, 200);
}
