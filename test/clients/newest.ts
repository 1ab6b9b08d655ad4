// `npm run clients:newest`: what has changed in the world of clients since the last run. It installs the newest of each client into a folder of its own,
// compares the fields that the newest SDK can send with the table (domain/catalog/message-fields.ts), and plays the scenarios of `npm run clients`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { classOf } from "../../domain/catalog/message-fields.ts";
import { requestFields } from "./request-fields.ts";

const usage = `Usage: npm run clients:newest -- [options]

  --fields   only compare the fields of the newest SDK with the table
  --keep     write the versions of this run to test/clients/newest.json

Other options go to \`npm run clients\`, such as --client NAME.
`;

const { values, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: {
    fields: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const sdk = "@anthropic-ai/sdk";
const last = fileURLToPath(new URL("newest.json", import.meta.url));

type Versions = Record<string, string>;

if (values.help) process.stdout.write(usage);
else process.exitCode = main();

function main(): number {
  const folder = mkdtempSync(join(tmpdir(), "archway-newest-"));
  const versions = install(folder);
  const before: Versions = existsSync(last) ? JSON.parse(readFileSync(last, "utf8")) : {};
  for (const [name, version] of Object.entries(versions)) {
    const news =
      before[name] === undefined ? "new here" : before[name] === version ? "as before" : `was ${before[name]}`;
    process.stdout.write(`${name} ${version}: ${news}\n`);
  }
  const unclassed = unclassedFields(join(folder, "node_modules"));
  for (const field of unclassed) process.stdout.write(`FAIL ${sdk} ${versions[sdk]}: nobody has classed ${field}\n`);
  if (values.keep) writeFileSync(last, `${JSON.stringify(versions, null, 2)}\n`);
  const failed = unclassed.length > 0 ? 1 : 0;
  return values.fields ? failed : failed | play(join(folder, "node_modules"));
}

/** Installs the newest of each package that the pinned run has, without install scripts. Packages of a fixed version stay. */
function install(folder: string): Versions {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
    dependencies: Versions;
  };
  const wanted = Object.entries(dependencies)
    .filter(([name]) => !values.fields || name === sdk)
    .map(([name, pinned]) => {
      const alias = /^npm:(.+)@[^@]+$/.exec(pinned)?.[1];
      const isFixed = /-\d+\.\d+\.\d+$/.test(name);
      return isFixed ? `${name}@${pinned}` : alias ? `${name}@npm:${alias}@latest` : `${name}@latest`;
    });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...wanted], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("npm could not install the newest clients");
  const names = wanted.map((one) => one.slice(0, one.indexOf("@", 1)));
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version as string;
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]));
}

/** The fields of the newest SDK's requests that the table does not name, by what holds them. */
function unclassedFields(modules: string): string[] {
  return requestFields(join(modules, sdk, "resources/beta/messages/messages.d.ts"))
    .filter((place) => classOf(place) === undefined)
    .map(({ holder, field }) => `${field} of ${holder}`);
}

/** Plays the scenarios with these packages. Returns the exit code. */
function play(modules: string): number {
  const own = new Set(["fields", "keep", "help"]);
  const others = tokens
    .filter((token) => token.kind === "option" && !own.has(token.name))
    .flatMap((token) =>
      token.kind === "option" ? [token.rawName, ...(token.value === undefined ? [] : [token.value])] : [],
    );
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, [main, "--no-page", ...others], {
    env: { ...process.env, ARCHWAY_CLIENT_MODULES: modules },
    stdio: "inherit",
  });
  return status ?? 1;
}
