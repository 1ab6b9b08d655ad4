// Compiled code, which no reviewer can read. It is known by its suffix and by how it begins.
import { type SkillFile, suffixOf } from "./skill-file.ts";

const suffixes = new Set(
  ".pyc .pyo .pyd .so .dylib .dll .exe .com .class .jar .wasm .node .o .a .lib .msi .apk .beam".split(" "),
);

const starts: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0xfe, 0xed, 0xfa, 0xce], // Mach-O, in both orders of bytes, for 32 and 64 bits
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe], // Mach-O of several processors, and Java
  [0xca, 0xfe, 0xba, 0xbf],
  [0x00, 0x61, 0x73, 0x6d], // WebAssembly
];

export function isCompiled({ path, content }: SkillFile): boolean {
  if (suffixes.has(suffixOf(path))) return true;
  if (starts.some((start) => start.every((byte, place) => content[place] === byte))) return true;
  return isPortableExecutable(content);
}

/** Text may begin with MZ; an executable has zeros soon after (learn.microsoft.com/windows/win32/debug/pe-format). */
function isPortableExecutable(content: Uint8Array): boolean {
  return content[0] === 0x4d && content[1] === 0x5a && content.subarray(0, 64).includes(0);
}
