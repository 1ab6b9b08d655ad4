import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  environmentFile,
  isFileName,
  keptBytes,
  listedFiles,
  places,
  quoted,
  startCommand,
  wrapper,
} from "../../../domain/runs/session-script.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-wrapper-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(folder, path), "utf8");

function write(path: string, content: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

type Given = { args?: string[]; env?: Record<string, string>; input?: string };

/** Runs a shell script as a session does. */
function run(script: string, { args = [], env = {}, input = "{}" }: Given = {}): void {
  write(`${places.skill}/run.sh`, script);
  write(places.input, input);
  write(places.environment, environmentFile(env));
  write(places.wrapper, wrapper("run.sh", args));
  // A pipe would be waited for until the last process that has it is gone.
  spawnSync("sh", ["-c", startCommand], { cwd: folder, stdio: "ignore" });
}

test("the wrapper of a script records the exit code, and keeps the output", () => {
  run("cat; echo err >&2; exit 5", { input: '{"a":1}' });
  expect([read(places.code), read(places.output), read(places.stderr)]).toEqual(["5\n", '{"a":1}', "err\n"]);
});

test("environment and arguments reach a script unchanged, whatever a shell would make of them", () => {
  const texts = fc.array(
    fc.string({ unit: "binary" }).filter((text) => text.isWellFormed() && !text.includes("\0")),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(texts, (args) => {
      const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${args.map(quoted).join(" ")}`]).toString();
      expect(printed).toBe(args.length === 0 ? "\0" : args.map((text) => `${text}\0`).join(""));
    }),
    { numRuns: 30 },
  );
  run('printf "%s|" "$VALUE" "$@"', { env: { VALUE: `it's $HOME "\`id\`" \\n` }, args: ["$(id)", "a b", "'"] });
  expect(read(places.output)).toBe(`it's $HOME "\`id\`" \\n|$(id)|a b|'|`);
});

test("the file with the environment is deleted before the script runs", () => {
  run("ls ..", { env: { SECRET: "x" } });
  const there = read(places.output).split("\n");
  expect(there).not.toContain(places.environment);
  expect(existsSync(join(folder, places.environment))).toBe(false);
});

test("a script's output is limited, and exceeding the limit does not stop the script", () => {
  run(`head -c ${keptBytes.output * 3} /dev/zero; head -c ${keptBytes.stderr * 3} /dev/zero >&2; exit 4`);
  expect(read(places.output)).toHaveLength(keptBytes.output);
  expect(read(places.stderr)).toHaveLength(keptBytes.stderr);
  expect(read(places.code)).toBe("4\n");
});

test("starting a script twice runs it once", () => {
  run("echo x >> ../count");
  write(places.wrapper, wrapper("run.sh", []));
  spawnSync("sh", ["-c", startCommand], { cwd: folder });
  expect(read("count")).toBe("x\n");
});

test("files that the script leaves are listed, without folders and links", () => {
  run('cd "$OUTPUT_DIR"; echo 12345 > a.txt; mkdir sub; ln -s /etc/passwd link; echo > "b c"; echo > .hidden');
  expect(listedFiles(read(places.files))).toEqual({
    files: [
      { name: "a.txt", size: 6 },
      { name: "b c", size: 1 },
    ],
    isMore: false,
  });
});

test("a process that the script leaves behind does not delay the end of the run", () => {
  run("sleep 20 & echo done");
  expect(read(places.code)).toBe("0\n");
  expect(read(places.output)).toBe("done\n");
});

describe("a list of files", () => {
  const line = (size: number, name: string) => `${size} ${name}`;

  test("a run's list of files has at most ten files within three megabytes", () => {
    const many = Array.from({ length: 11 }, (_, place) => line(1, `f${place}`)).join("\n");
    expect(listedFiles(many)).toMatchObject({ files: { length: 10 }, isMore: true });
    const large = [line(2_000_000, "a"), line(2_000_000, "b"), line(1_000_000, "c")].join("\n");
    expect(listedFiles(large)).toMatchObject({ files: [{ name: "a" }, { name: "c" }], isMore: true });
  });

  test("a run's list of files that a script has forged contains only names without a folder", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const { name, size } of listedFiles(text).files) {
          expect(isFileName(name)).toBe(true);
          expect(size).toBeLessThanOrEqual(3 * 1024 * 1024);
        }
      }),
    );
    expect(listedFiles("5 ../../etc/passwd\n5 a\\b\n5 ..\n5 -rf").files).toEqual([]);
  });
});

test.each(["a.txt", "Bericht für Köln.md", "2026-11-23.csv"])("%s is accepted as the name of a run's file", (name) => {
  expect(isFileName(name)).toBe(true);
});

test.each(["", ".", "..", "a/b", "a\\b", "C:x", "a\nb", "a\u202eb", "-f", "a\ud800", "x".repeat(101)])(
  "%j is refused as the name of a run's file",
  (name) => {
    expect(isFileName(name)).toBe(false);
  },
);
