import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { clientName, isRefused, note, removeOldNotes } from "../../../packages/sign-in/given.ts";

const access = { url: "https://api.example.com", access_token: "a.b.c", obtained_at: 0, expires_at: 3_600_000 };
const minute = 60_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-"));
});

const refused = (now: number, client = "7", of = access) => isRefused({ folder, client }, of, now);

describe("a client that was given a token", () => {
  beforeEach(() => note({ folder, client: "7" }, access, 10 * minute));

  test("a client that asks again for a token within five minutes counts as refused with the last one", () => {
    expect([11, 14.9, 15, 60].map((at) => refused(at * minute))).toEqual([true, true, false, false]);
  });

  test("a note about a client and its token says nothing about another token or client", () => {
    expect(refused(11 * minute, "7", { ...access, obtained_at: 1 })).toBe(false);
    expect([refused(11 * minute, "8"), isRefused({ folder, client: undefined }, access, 11 * minute)]).toEqual([
      false,
      false,
    ]);
  });

  test("a client that was given a token after a refusal some seconds ago gets no second token", () => {
    const cure = { ...access, obtained_at: 11 * minute };
    note({ folder, client: "7" }, cure, 11 * minute, true);
    note({ folder, client: "7" }, cure, 11 * minute + 1_000);
    const askedAfter = (ms: number) => refused(11 * minute + ms, "7", cure);
    expect([askedAfter(29_000), askedAfter(31_000)]).toEqual([false, true]);
  });

  test("a client that asks again was refused with its token, however new, unless the token was given after a refusal", () => {
    const young = { ...access, obtained_at: 11 * minute };
    note({ folder, client: "7" }, young, 11 * minute);
    expect(refused(11 * minute + 1_000, "7", young)).toBe(true);
  });

  test("a note about a client's token is deleted once it is useless", () => {
    note({ folder, client: "8" }, access, 0);
    utimesSync(join(folder, "given", "7"), 600, 600);
    utimesSync(join(folder, "given", "8"), 0, 0);
    removeOldNotes(folder, 11 * minute);
    expect(readdirSync(join(folder, "given"))).toEqual(["7"]);
  });
});

test("a caller without a client name leaves no note", () => {
  note({ folder, client: undefined }, access, 0);
  expect(existsSync(join(folder, "given"))).toBe(false);
});

test.each([[""], ["1 2 3 x"], ["x"], ["0"], ["0 x"]])("a damaged note (%j) does not count as a refusal", (text) => {
  mkdirSync(join(folder, "given"));
  writeFileSync(join(folder, "given", "7"), text);
  expect(refused(11 * minute)).toBe(false);
});

test("the cached token is used if no note can be written", () => {
  writeFileSync(join(folder, "given"), "in the way");
  note({ folder, client: "7" }, access, 0);
  removeOldNotes(folder, 0);
  expect(refused(minute)).toBe(false);
});

test("a client's name cannot be a path", () => {
  expect(["7", "a-b_c", "", "..", "a/b", "$PPID", "x".repeat(65)].map((name) => clientName.test(name))).toEqual([
    ...[true, true],
    ...[false, false, false, false, false],
  ]);
});
