import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Store } from "../store.ts";

let folder: string;
let stores: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-store-"));
  stores = [];
});
afterEach(() => {
  for (const store of stores) store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(path = join(folder, "services.sqlite")): Store {
  const store = new Store(path);
  stores.push(store);
  return store;
}

type Thing = { name: string; tags?: string[] };

describe("a collection", () => {
  test("a collection of the store returns a copy of the stored value", () => {
    const things = open(":memory:").collection<Thing>("thing");
    const thing = { name: "one", tags: ["a"] };
    things.put("1", thing);
    thing.tags.push("b");
    expect(things.get("1")).toEqual({ name: "one", tags: ["a"] });
    expect(things.get("1")).not.toBe(things.get("1"));
  });

  test("a collection of the store has no value for an id that was never stored, or was deleted", () => {
    const things = open(":memory:").collection<Thing>("thing");
    things.put("1", { name: "one" });
    expect([things.delete("1"), things.delete("1"), things.get("1"), things.all()]).toEqual([
      true,
      false,
      undefined,
      [],
    ]);
  });

  test("a collection of the store keeps the order in which ids were first stored", () => {
    const things = open(":memory:").collection<Thing>("thing");
    for (const id of ["b", "a", "c"]) things.put(id, { name: id });
    things.put("b", { name: "again" });
    expect(things.all().map(({ name }) => name)).toEqual(["again", "a", "c"]);
  });

  test("two collections of the store with different kinds are separate", () => {
    const store = open(":memory:");
    store.collection<Thing>("thing").put("1", { name: "one" });
    const others = store.collection<Thing>("other");
    others.put("1", { name: "other" });
    expect(others.delete("1")).toBe(true);
    expect([others.all(), store.collection<Thing>("thing").get("1")]).toEqual([[], { name: "one" }]);
  });
});

describe("a store in a file", () => {
  test("a store in a file can be read by the next process, even if it was not closed", () => {
    open().collection<Thing>("thing").put("1", { name: "one" });
    expect(open().collection<Thing>("thing").all()).toEqual([{ name: "one" }]);
  });

  test("each store in memory is separate", () => {
    open(":memory:").collection<Thing>("thing").put("1", { name: "one" });
    expect(open(":memory:").collection<Thing>("thing").all()).toEqual([]);
  });

  test("a file that is not a store is an error when it is opened", () => {
    const path = join(folder, "broken.sqlite");
    writeFileSync(path, "this is no database, but a text that is long enough to be taken for one".repeat(20));
    expect(() => new Store(path)).toThrow("file is not a database");
  });
});
