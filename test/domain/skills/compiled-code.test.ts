import { expect, test } from "@jest/globals";
import { isCompiled } from "../../../domain/skills/compiled-code.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (words: string) => new TextEncoder().encode(words);

test.each(["a.pyc", "a.PYO", "lib/a.so", "a.dll", "A.class", "a.wasm", "a.exe", "a.jar"])(
  "the file %s counts as compiled code",
  (path) => {
    expect(isCompiled({ path, content: text("x") })).toBe(true);
  },
);

test.each([
  ["ELF", bytes(0x7f, 0x45, 0x4c, 0x46, 2)],
  ["Mach-O", bytes(0xcf, 0xfa, 0xed, 0xfe, 7)],
  ["Mach-O of several processors", bytes(0xca, 0xfe, 0xba, 0xbe, 0)],
  ["PE", bytes(0x4d, 0x5a, 0x90, 0, 3, 0)],
  ["WebAssembly", bytes(0, 0x61, 0x73, 0x6d, 1)],
])("compiled code of the format %s is recognized under any name", (_, content) => {
  expect(isCompiled({ path: "readme.txt", content })).toBe(true);
});

test.each([
  ["a text that begins with MZ", "a.md", text("MZ is a format\nof long ago")],
  ["a picture", "a.png", bytes(0x89, 0x50, 0x4e, 0x47, 0, 0)],
  ["nothing", "a.txt", bytes()],
  ["a script", "a.py", text("print(1)")],
])("%s does not count as compiled code", (_, path, content) => {
  expect(isCompiled({ path, content })).toBe(false);
});
