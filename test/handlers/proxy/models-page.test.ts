import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Model } from "../../../domain/catalog/catalog.ts";
import { pageOfModels } from "../../../handlers/proxy/models-page.ts";

const models = ["e", "d", "c", "b", "a"].map((id) => ({ id }) as Model);
const page = (parameters: Record<string, string | undefined> = {}) => {
  const { data, ...rest } = pageOfModels(models, parameters);
  return { ids: data.map(({ id }) => id).join(""), ...rest };
};

test("without parameters the first twenty", () => {
  expect(page()).toEqual({ ids: "edcba", has_more: false, first_id: "e", last_id: "a" });
  const many = Array.from({ length: 21 }, (_, id) => ({ id: String(id) }) as Model);
  expect(pageOfModels(many, {})).toMatchObject({ has_more: true, last_id: "19" });
});

describe("pages", () => {
  test("go on after an id", () => {
    expect(page({ limit: "2" })).toEqual({ ids: "ed", has_more: true, first_id: "e", last_id: "d" });
    expect(page({ limit: "2", after_id: "d" })).toEqual({ ids: "cb", has_more: true, first_id: "c", last_id: "b" });
    expect(page({ limit: "2", after_id: "b" })).toEqual({ ids: "a", has_more: false, first_id: "a", last_id: "a" });
    expect(page({ after_id: "a" })).toEqual({ ids: "", has_more: false, first_id: null, last_id: null });
  });

  test("go back before an id, to those just before it", () => {
    expect(page({ limit: "2", before_id: "b" })).toEqual({ ids: "dc", has_more: true, first_id: "d", last_id: "c" });
    expect(page({ limit: "2", before_id: "d" })).toEqual({ ids: "e", has_more: false, first_id: "e", last_id: "e" });
  });

  test("lie between two ids", () => {
    expect(page({ after_id: "e", before_id: "b" })).toMatchObject({ ids: "dc", has_more: false });
    expect(page({ after_id: "b", before_id: "e" })).toMatchObject({ ids: "", has_more: false });
  });

  test("walked forward or back show every model once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), (limit) => {
        let forward = "";
        for (let after: string | undefined; ; ) {
          const { ids, has_more, last_id } = page({ limit: String(limit), after_id: after });
          forward += ids;
          if (!has_more) break;
          after = last_id ?? undefined;
        }
        let back = "";
        for (let before = "a"; ; ) {
          const { ids, has_more, first_id } = page({ limit: String(limit), before_id: before });
          back = ids + back;
          if (!has_more) break;
          before = first_id ?? "";
        }
        expect([forward, back]).toEqual(["edcba", "edcb"]);
      }),
    );
  });
});

test.each([
  [{ limit: "0" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "1001" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "ten" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "1,2" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "-1" }, "limit: must be a whole number from 1 to 1000"],
  [{ after_id: "z" }, "after_id: must be the id of a model"],
  [{ before_id: "" }, "before_id: must be the id of a model"],
])("%j is refused", (parameters, words) => {
  expect(() => page(parameters)).toThrow(words);
});

test("unknown parameters do not matter", () => {
  expect(page({ beta: "true", lifecycle: "active" }).ids).toBe("edcba");
});

test("a caller without models gets an empty page, and any id is wrong", () => {
  expect(pageOfModels([], {})).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  expect(() => pageOfModels([], { after_id: "a" })).toThrow("after_id");
});
