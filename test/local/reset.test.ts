import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Storage } from "../../emulators/dynamodb/storage.ts";
import { Store } from "../../emulators/store.ts";
import { mark, openDataFolder } from "../../local/data-folder.ts";
import { resetDataFolder } from "../../local/reset.ts";
import { filesOf } from "../support/data-folders.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "archway-reset-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a stack's data by the parts that write it in a stack. */
async function layData(): Promise<void> {
  const { services, dynamodb, logs, stackFile } = openDataFolder(folder);
  const store = new Store(services);
  store.collection("demo").put("demo", {});
  store.close();
  for (const key of ["a", "b"]) {
    const storage = await Storage.open(dynamodb);
    await storage.write([{ type: "put", key, value: key }]);
    await storage.close();
  }
  writeFileSync(join(logs, "proxy-local.log"), "a line");
  writeFileSync(stackFile ?? "", "{}");
}

const foreign = ["dynamodb/notes.txt", "logs/old/proxy-local.log", "notes.txt", "permissions/1.json"];

function layForeignFiles(): void {
  for (const path of foreign) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "mine");
  }
}

describe("a stack's folder", () => {
  test("a reset deletes everything that the stack created in its folder, and nothing else", async () => {
    await layData();
    layForeignFiles();
    await resetDataFolder(folder);
    expect(filesOf(folder)).toEqual(["archway-data.json", ...foreign]);
    openDataFolder(folder);
  });

  test("a reset of a folder with an earlier version deletes its data, and the folder then fits this version", async () => {
    await layData();
    mark(folder, 1);
    await resetDataFolder(folder);
    expect(filesOf(folder)).toEqual(["archway-data.json"]);
    openDataFolder(folder);
  });

  test("a reset works on a folder with damaged data", async () => {
    await layData();
    writeFileSync(join(folder, "services.sqlite"), "garbage");
    writeFileSync(join(folder, "dynamodb", "CURRENT"), "garbage");
    await resetDataFolder(folder);
    expect(filesOf(folder)).toEqual(["archway-data.json"]);
  });

  test("a reset of an empty or missing folder does nothing", async () => {
    await resetDataFolder(folder);
    await resetDataFolder(join(folder, "absent"));
    expect(filesOf(folder)).toEqual([]);
  });
});

describe("nothing is deleted, and one sentence says why", () => {
  /** Fails with these words, and leaves every file where it is. */
  async function refuses(path: string, words: string | RegExp): Promise<void> {
    const before = filesOf(folder);
    await expect(resetDataFolder(path)).rejects.toThrow(words);
    expect(filesOf(folder)).toEqual(before);
  }

  test("a reset deletes nothing in a folder that is not a stack's", async () => {
    layForeignFiles();
    await refuses(folder, `${folder} was not made by a stack: --reset deletes nothing there.`);
  });

  test("a reset deletes nothing if the marker is missing, because the files could be anyone's", async () => {
    await layData();
    rmSync(join(folder, "archway-data.json"));
    await refuses(folder, "was not made by a stack");
  });

  test("a reset deletes nothing through a link to the folder or in it", async () => {
    await layData();
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    try {
      await refuses(link, `${link} is a link`);
      await refuses(`${link}/`, `${link} is a link`);
    } finally {
      rmSync(link);
    }
    rmSync(join(folder, "logs"), { recursive: true });
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "logs"));
    await refuses(folder, `${join(folder, "logs")} is a link`);
  });

  test("a reset of a path that is a file deletes nothing", async () => {
    writeFileSync(join(folder, "file"), "mine");
    await refuses(join(folder, "file"), "is not a folder");
  });

  test("a reset deletes nothing in the checkout, the home folder, and folders that contain them", async () => {
    for (const path of [process.cwd(), dirname(process.cwd()), homedir(), "/"]) {
      await refuses(path, "name a folder for the data alone");
    }
  });

  test("a reset deletes nothing while another stack uses the data", async () => {
    await layData();
    const storage = await Storage.open(join(folder, "dynamodb"));
    try {
      await refuses(folder, "is in use by another process: stop that first.");
    } finally {
      await storage.close();
    }
  });
});
