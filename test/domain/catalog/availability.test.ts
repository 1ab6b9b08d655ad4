import { describe, expect, test } from "@jest/globals";
import { endingOf, hasEnded, modelsFor, offeredAt, successorOf } from "../../../domain/catalog/availability.ts";
import { everyModel, findModel, type ModelAccess, parseCatalog } from "../../../domain/catalog/catalog.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { aModel, tier } from "../../support/a-model.ts";

const now = Date.parse("2026-11-28T00:00:00Z");
const everywhere: ModelAccess = {
  allowed_models: [everyModel],
  allowed_regions: regions,
  allow_global_profiles: false,
};

describe("modelsFor", () => {
  const catalog = parseCatalog({
    models: [
      aModel("old", { created_at: "2025-01-01T00:00:00Z" }),
      aModel("new", { created_at: "2026-06-01T00:00:00Z" }),
      aModel("b", { created_at: "2025-06-01T00:00:00Z" }),
      aModel("a", { created_at: "2025-06-01T00:00:00Z" }),
    ],
  });
  const ids = (access: Partial<ModelAccess>) =>
    modelsFor(catalog, { ...everywhere, ...access }, now).map((model) => model.id);

  test("modelsFor lists the newest first, and equal ones by id", () => {
    expect(ids({})).toEqual(["new", "a", "b", "old"]);
  });

  test("modelsFor lists only what the grant names, by whichever name", () => {
    expect(ids({ allowed_models: ["old", "new-latest", "eu.host.a", "unknown"] })).toEqual(["new", "a", "old"]);
    expect(ids({ allowed_models: [] })).toEqual([]);
  });

  test("modelsFor lists only what can be reached in a region of the grant", () => {
    expect(ids({ allowed_regions: ["eu-central-2"] })).toEqual([]);
    expect(ids({ allowed_regions: ["eu-central-2"], allow_global_profiles: true })).toHaveLength(4);
    expect(ids({ allowed_regions: [] })).toEqual([]);
  });
});

describe("a profile without a price", () => {
  const tiers = [tier];
  const priced = (from: string) => {
    const prices = [
      { profiles: ["global.host.x", "host.x"], from: "2026-01-01", tiers },
      { profiles: ["eu.host.x"], from, tiers },
    ];
    return parseCatalog({ models: [aModel("x", { prices })] });
  };

  test("a profile without a price today is not offered, while the model's others are", () => {
    const catalog = priced("2026-12-01");
    const model = findModel(catalog, "x");
    expect(model && offeredAt(model, now)?.profiles).toEqual({
      "eu-central-1": { anywhere: "global.host.x" },
      "eu-central-2": { anywhere: "global.host.x" },
      "us-east-1": { anywhere: "global.host.x", region: "host.x" },
    });
    expect(modelsFor(catalog, { ...everywhere, allowed_regions: ["eu-central-1"] }, now)).toEqual([]);
  });

  test("a profile is offered from the first moment of its price", () => {
    const catalog = priced("2026-11-28");
    const european = { ...everywhere, allowed_regions: ["eu-central-1" as const] };
    const ids = (at: number) => modelsFor(catalog, european, at).map(({ id }) => id);
    expect([ids(now - 1), ids(now)]).toEqual([[], ["x"]]);
  });

  test("a model of which no profile has a price is not offered", () => {
    const [model] = parseCatalog({ models: [aModel("x")] }).models;
    expect(model && offeredAt(model, Date.parse("2025-12-31T23:59:59Z"))).toBeUndefined();
  });
});

describe("the end of a model", () => {
  const since = (id: string, created_at: string, changes = {}) =>
    aModel(id, { aliases: [], created_at: `${created_at}T00:00:00Z`, ...changes });
  const open = (...models: ReturnType<typeof aModel>[]) => parseCatalog({ models });
  const of = (catalog: ReturnType<typeof open>, id: string) => {
    const model = findModel(catalog, id);
    if (!model) throw new Error(`no model ${id}`);
    return model;
  };
  const family = (last_day?: string) =>
    open(
      since("opus-4-5", "2025-11-24", last_day === undefined ? {} : { last_day }),
      since("opus-5", "2026-07-24"),
      since("opus-5-5", "2026-09-22"),
      since("sonnet-6", "2026-11-01"),
    );

  test.each([
    ["2026-11-27", true],
    ["2026-11-28", false],
    ["2027-01-01", false],
    ["2001-01-01", true],
    [undefined, false],
  ])("a model whose last day is %s has ended on 2026-11-28: %s", (last_day, ended) => {
    const catalog = family(last_day);
    const at = Date.parse("2026-11-28T12:00:00Z");
    expect([hasEnded(of(catalog, "opus-4-5"), at), offeredAt(of(catalog, "opus-4-5"), at) === undefined]).toEqual([
      ended,
      ended,
    ]);
  });

  test("a model is offered again once its last day is moved or taken back", () => {
    const offered = (catalog: ReturnType<typeof open>) =>
      modelsFor(catalog, everywhere, now).some(({ id }) => id === "opus-4-5");
    expect([family("2026-11-01"), family("2027-02-01"), family()].map(offered)).toEqual([false, true, true]);
  });

  test("the vendor's last day refuses no call", () => {
    const catalog = open(since("x", "2025-01-01", { vendor_last_day: "2026-01-01" }));
    expect(offeredAt(of(catalog, "x"), now)).toBeDefined();
    expect(endingOf(catalog, of(catalog, "x"), now)).toEqual({ vendor_last_day: "2026-01-01" });
  });

  test("the successor is the newest of the family that can be called, and never an older one", () => {
    expect(successorOf(family(), of(family(), "opus-4-5"), now)?.id).toBe("opus-5-5");
    expect(successorOf(family(), of(family(), "opus-5-5"), now)).toBeUndefined();
    const ended = open(since("opus-4", "2025-01-01"), since("opus-5", "2026-01-02", { last_day: "2026-11-01" }));
    expect(successorOf(ended, of(ended, "opus-4"), now)).toBeUndefined();
  });

  test("the successor that the catalog names comes first, while it can be called", () => {
    const catalog = (last_day: string) =>
      open(
        since("opus-4", "2025-01-01", { successor: "sonnet-5" }),
        since("opus-5", "2026-01-01"),
        since("sonnet-5", "2026-01-01", { last_day }),
      );
    const nextAfter = (last_day: string) => successorOf(catalog(last_day), of(catalog(last_day), "opus-4"), now)?.id;
    expect([nextAfter("2027-01-01"), nextAfter("2026-01-01")]).toEqual(["sonnet-5", "opus-5"]);
  });
});
