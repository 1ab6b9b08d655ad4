import { expect, test } from "@jest/globals";
import { decodeProtectedHeader } from "jose";
import { sealing } from "../../adapters/sealing.ts";

const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
const content = { name: "App", redirect_uris: ["http://localhost/callback"], at: 1 };
const now = Date.UTC(2026, 10, 28);

test("a sealed text shows nothing of its content, and is another one each time", async () => {
  const { seal, open } = sealing([first]);
  const texts = [await seal("client", content), await seal("client", content)];
  expect(texts[0]).not.toBe(texts[1]);
  for (const text of texts) {
    expect(Buffer.from(text, "base64url").toString("latin1")).not.toContain("localhost");
    expect(await open("client", text, now)).toEqual(content);
  }
});

test("a text that was sealed for one purpose is none for another", async () => {
  const { seal, open } = sealing([first]);
  expect(await open("consent", await seal("client", content), now)).toBeUndefined();
});

test("a sealed text is over at its time", async () => {
  const { seal, open } = sealing([first]);
  const text = await seal("client", content, now + 60_000);
  expect(await open("client", text, now + 59_000)).toEqual(content);
  expect(await open("client", text, now + 60_000)).toBeUndefined();
});

test("two keys count: the first seals, and a key that is neither opens nothing", async () => {
  const old = await sealing([first]).seal("client", content);
  const both = sealing([second, first]);
  expect(await both.open("client", old, now)).toEqual(content);
  const resealed = await both.seal("client", content);
  expect(await sealing([first]).open("client", resealed, now)).toBeUndefined();
  expect(await sealing([third, second]).open("client", old, now)).toBeUndefined();
  expect(decodeProtectedHeader(old).kid).not.toContain(first.slice(0, 4));
});

test("a text that was changed, shortened or made by somebody else is not opened", async () => {
  const { seal, open } = sealing([first]);
  const text = await seal("client", content);
  const [header, , iv, sealed, tag] = text.split(".");
  const unsecured = Buffer.from('{"alg":"none"}').toString("base64url");
  const others = [
    "",
    "a.b.c.d.e",
    text.slice(0, -2),
    [header, "", iv, `${sealed?.startsWith("A") ? "B" : "A"}${sealed?.slice(1)}`, tag].join("."),
    [unsecured, "", iv, sealed, tag].join("."),
    `${unsecured}.${Buffer.from(JSON.stringify({ sealed: content })).toString("base64url")}.`,
    "x".repeat(40_000),
  ];
  for (const other of others) expect(await open("client", other, now)).toBeUndefined();
});
