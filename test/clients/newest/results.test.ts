import { expect, test } from "@jest/globals";
import { type ClientResult, changes, merged, nothing, type Results } from "./results.ts";

const client: ClientResult = {
  version: "1.0.0",
  registry: "npm",
  package: "a-client",
  outcomes: { stream: { is: "ok" }, thinking: { is: "vendor", why: "old words" } },
  leftOut: ["a-flag"],
  unclassed: [],
};
const found = (one: ClientResult): Results => ({ ...nothing, day: "2026-11-28", clients: { "A client": one } });

test("a run that found the same again has changed nothing", () => {
  expect(changes(found(client), found(structuredClone(client)))).toEqual([]);
});

test("a client that was not played before is new", () => {
  expect(changes(nothing, found(client))).toEqual(["A client 1.0.0: new here"]);
});

test("a change names the version, each scenario that went otherwise, and what is left out or unknown since", () => {
  const now: ClientResult = {
    ...client,
    version: "1.1.0",
    outcomes: { stream: { is: "FAIL", why: "500" }, thinking: { is: "vendor", why: "new words" } },
    leftOut: ["another-flag"],
    unclassed: ["x of tools:custom"],
  };
  expect(changes(found(client), found(now))).toEqual([
    "A client: 1.0.0 -> 1.1.0",
    "A client: stream was ok, is FAIL (500)",
    "A client: thinking was vendor (old words), is vendor (new words)",
    "A client: sends what nobody has classed: x of tools:custom",
    "A client: left out as well: another-flag",
    "A client: not left out any more: a-flag",
  ]);
});

test("a client that cannot be installed any more is told with the registry's words", () => {
  const { version: _, ...gone } = client;
  expect(changes(found(client), found({ ...gone, outcomes: {}, missing: "E404" }))).toEqual([
    "A client: 1.0.0 -> E404",
  ]);
});

test("a run of some scenarios keeps what was found of the others with the same version, and of no other version", () => {
  const now: ClientResult = { ...client, outcomes: { stream: { is: "FAIL" } }, leftOut: ["another-flag"] };
  expect(merged(client, now)).toMatchObject({
    outcomes: { stream: { is: "FAIL" }, thinking: { is: "vendor" } },
    leftOut: ["a-flag", "another-flag"],
  });
  expect(merged({ ...client, version: "0.9.0" }, now)).toEqual(now);
});
