// Works on a session's files, as a process inside its sandbox: paths lead nowhere that the sandbox does not show. It reads what to do
// from its input and prints what came of it.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";

const work = process.cwd();

/** @throws Error for a path that leads out of the session's folder: AWS takes relative paths alone */
function within(path) {
  if (isAbsolute(path) || normalize(path).split("/").includes(".."))
    throw new Error(`${path}: must be a relative path`);
  return join(work, path);
}

const operations = {
  writeFiles({ content }) {
    for (const { path, text, blob } of content) {
      const file = within(path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, blob === undefined ? text : Buffer.from(blob, "base64"));
    }
    return [];
  },
  readFiles({ paths }) {
    return paths.map((path) => {
      const file = within(path);
      if (!lstatSync(file).isFile()) throw new Error(`${path}: is not a file`);
      return { path, blob: readFileSync(file).toString("base64") };
    });
  },
  listFiles({ directoryPath }) {
    return readdirSync(within(directoryPath), { withFileTypes: true }).map((entry) => ({
      path: join(directoryPath, entry.name),
      name: entry.name,
      folder: entry.isDirectory(),
    }));
  },
  removeFiles({ paths }) {
    for (const path of paths) rmSync(within(path), { recursive: true });
    return [];
  },
};

const { name, given } = JSON.parse(readFileSync(0, "utf8"));
try {
  process.stdout.write(JSON.stringify({ found: operations[name](given) }));
} catch (error) {
  process.stdout.write(JSON.stringify({ problem: error.message.replaceAll(work, ".") }));
}
