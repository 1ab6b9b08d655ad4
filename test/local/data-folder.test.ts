import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dataVersion, mark, openDataFolder, temporaryPaths } from "../../local/data-folder.ts";
import { filesOf } from "../support/data-folders.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "archway-data-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a folder is used", () => {
  test("an empty or new data folder is used, and marked as a stack's, with the version of its data", () => {
    const inside = join(folder, "new", "one");
    const paths = openDataFolder(inside);
    expect(paths).toEqual({
      services: join(inside, "services.sqlite"),
      dynamodb: join(inside, "dynamodb"),
      logs: join(inside, "logs"),
      stackFile: join(inside, "stack.json"),
    });
    expect(JSON.parse(readFileSync(join(inside, "archway-data.json"), "utf8"))).toEqual({
      made_by: "archway local stack",
      data_version: dataVersion,
    });
  });

  test("a data folder is used again, with its data", () => {
    const { services } = openDataFolder(folder);
    writeFileSync(services, "data");
    openDataFolder(folder);
    expect(filesOf(folder)).toEqual(["archway-data.json", "services.sqlite"]);
  });

  test("a data folder is used even with foreign files in it, and through a link", () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "notes.txt"), "mine");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    openDataFolder(join(folder, "link"));
    expect(filesOf(join(folder, "real"))).toEqual(["archway-data.json", "notes.txt"]);
  });
});

describe("one sentence names the folder, what is wrong and the way out, and nothing is written", () => {
  test.each([dataVersion - 1, dataVersion + 1])("a data folder with data of version %d is refused", (version) => {
    mark(folder, version);
    expect(() => openDataFolder(folder)).toThrow(
      `${folder} holds data of version ${version}, and this stack keeps version ${dataVersion}: ` +
        `\`npm start -- --reset --data ${folder}\` empties it and starts anew.`,
    );
  });

  test("a data folder with another version is refused with a command that also names the port in use", () => {
    mark(folder, dataVersion - 1);
    expect(() => openDataFolder(folder, { port: 8_790 })).toThrow(`--reset --data ${folder} --port 8790\``);
  });

  test.each(["services.sqlite", "stack.json"])("a data folder is refused if a %s in it is not a stack's", (name) => {
    writeFileSync(join(folder, name), "mine");
    expect(() => openDataFolder(folder)).toThrow(
      `${folder} holds ${name}, and nothing says that a stack made it: name another folder with --data, or remove it yourself.`,
    );
  });

  test("a data folder is refused if it contains other people's folders with the names that a stack uses", () => {
    for (const name of ["dynamodb", "logs"]) mkdirSync(join(folder, name));
    expect(() => openDataFolder(folder)).toThrow(`${folder} holds dynamodb, logs, and nothing says`);
  });

  test("a data folder is refused if its marker was written by another program", () => {
    writeFileSync(join(folder, "archway-data.json"), JSON.stringify({ data_version: dataVersion }));
    writeFileSync(join(folder, "services.sqlite"), "mine");
    expect(() => openDataFolder(folder)).toThrow("nothing says that a stack made it");
  });

  test("a data folder cannot be a file, or a link to nothing", () => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "nothing"), join(folder, "link"));
    for (const name of ["file", "link"]) {
      expect(() => openDataFolder(join(folder, name))).toThrow(`${join(folder, name)} is not a folder.`);
    }
  });

  test("a data folder cannot be the checkout, the home folder, or a folder that contains one of them", () => {
    const root = process.cwd();
    for (const path of [root, ".", dirname(root), "/"]) {
      expect(() => openDataFolder(path)).toThrow(/(this checkout|your home folder): name a folder for the data alone/);
    }
    expect(() => openDataFolder(homedir())).toThrow("name a folder for the data alone");
  });

  test("a data folder cannot be a link to the checkout", () => {
    symlinkSync(process.cwd(), join(folder, "link"));
    expect(() => openDataFolder(join(folder, "link"))).toThrow("is or holds this checkout");
  });
});

test("a stack that keeps no data has only a folder for its logs, until it is closed", () => {
  const { logs, close, ...paths } = temporaryPaths();
  expect(paths).toEqual({ services: ":memory:", dynamodb: undefined, stackFile: undefined });
  writeFileSync(join(logs, "proxy.log"), "");
  close();
  expect(filesOf(logs)).toEqual([]);
});
