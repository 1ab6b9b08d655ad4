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
  test("a data folder is used if it is empty or not there yet, and says from then on that it is a stack's, and the version of its data", () => {
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

  test("a data folder is used beside foreign files, and through a link", () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "notes.txt"), "mine");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    openDataFolder(join(folder, "link"));
    expect(filesOf(join(folder, "real"))).toEqual(["archway-data.json", "notes.txt"]);
  });
});

describe("one sentence names the folder, what is wrong and the way out, and nothing is written", () => {
  test.each([dataVersion - 1, dataVersion + 1])("a data folder is refused for data of version %d", (version) => {
    mark(folder, version);
    expect(() => openDataFolder(folder)).toThrow(
      `${folder} holds data of version ${version}, and this stack keeps version ${dataVersion}: ` +
        `\`npm start -- --reset --data ${folder}\` empties it and starts anew.`,
    );
  });

  test("a data folder is refused for data of another version under a port that was named, which the way out names, too", () => {
    mark(folder, dataVersion - 1);
    expect(() => openDataFolder(folder, { port: 8_790 })).toThrow(`--reset --data ${folder} --port 8790\``);
  });

  test.each(["services.sqlite", "stack.json"])("a data folder is refused if a %s in it is not a stack's", (name) => {
    writeFileSync(join(folder, name), "mine");
    expect(() => openDataFolder(folder)).toThrow(
      `${folder} holds ${name}, and nothing says that a stack made it: name another folder with --data, or remove it yourself.`,
    );
  });

  test("a data folder is refused for someone's folders of the names that a stack gives", () => {
    for (const name of ["dynamodb", "logs"]) mkdirSync(join(folder, name));
    expect(() => openDataFolder(folder)).toThrow(`${folder} holds dynamodb, logs, and nothing says`);
  });

  test("a data folder is refused for a marker that someone else wrote", () => {
    writeFileSync(join(folder, "archway-data.json"), JSON.stringify({ data_version: dataVersion }));
    writeFileSync(join(folder, "services.sqlite"), "mine");
    expect(() => openDataFolder(folder)).toThrow("nothing says that a stack made it");
  });

  test("a data folder is refused for a file, and a link to nothing", () => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "nothing"), join(folder, "link"));
    for (const name of ["file", "link"]) {
      expect(() => openDataFolder(join(folder, name))).toThrow(`${join(folder, name)} is not a folder.`);
    }
  });

  test("a data folder is refused for the checkout, the home folder, and what holds them", () => {
    const root = process.cwd();
    for (const path of [root, ".", dirname(root), "/"]) {
      expect(() => openDataFolder(path)).toThrow(/(this checkout|your home folder): name a folder for the data alone/);
    }
    expect(() => openDataFolder(homedir())).toThrow("name a folder for the data alone");
  });

  test("a data folder is refused for a link to the checkout", () => {
    symlinkSync(process.cwd(), join(folder, "link"));
    expect(() => openDataFolder(join(folder, "link"))).toThrow("is or holds this checkout");
  });
});

test("a stack that keeps nothing has a folder for its logs alone, until it is closed", () => {
  const { logs, close, ...paths } = temporaryPaths();
  expect(paths).toEqual({ services: ":memory:", dynamodb: undefined, stackFile: undefined });
  writeFileSync(join(logs, "proxy.log"), "");
  close();
  expect(filesOf(logs)).toEqual([]);
});
