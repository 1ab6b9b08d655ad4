// Another program's settings file: what is changed in it is said, everything else stays as it is, comments too.
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { Failure } from "../failure.ts";
import type { Machine } from "./machine.ts";
import { replace } from "./private-file.ts";

/** The new text of a file, and the changes that lead there, for people. */
export type FileChange = { file: string; text: string; said: string[] };

/** A value to set; undefined removes it. */
export type JsonChange = { path: (string | number)[]; value: unknown };

/** `SyntaxKind.CommaToken`: constants of a declared enum cannot be imported. */
const commaToken = 5;

const format = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };

/** The file's text; undefined if there is no file. @throws Failure. */
export function readSettings(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Failure("failed", `cannot read ${file}: ${code}`);
  }
}

/**
 * Changes JSON, which may have comments unless the program reads it strictly.
 * @throws Failure if it is damaged: nothing is then changed.
 */
export function changeJson(file: string, changes: JsonChange[], strict = false): FileChange {
  let text = readSettings(file)?.replace(/^\uFEFF/, "") ?? "";
  if (text.trim() === "") text = "{}\n";
  parsed(file, text, strict);
  const said: string[] = [];
  for (const { path, value } of changes) {
    const root = parsed(file, text);
    requireObjects(file, root, path);
    const node = findNodeAtLocation(root, path);
    const before = node && getNodeValue(node);
    if (JSON.stringify(before) === JSON.stringify(value)) continue;
    text = applyEdits(text, value === undefined ? removal(text, node) : modify(text, path, value, format));
    said.push(sentence(path.join("."), before, value));
  }
  return { file, text, said };
}

/** @throws Failure for a part of the path that is there and holds no further ones */
function requireObjects(file: string, root: Node, path: JsonChange["path"]): void {
  for (let length = 1; length < path.length; length++) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (!node || node.type === (typeof path[length] === "number" ? "array" : "object")) continue;
    const name = path.slice(0, length).join(".");
    throw new Failure(
      "failed",
      `${file}: ${name} is no object but a ${node.type}: repair it first, nothing was changed`,
    );
  }
}

/** The property and one comma. The library's own removal takes the comments around it along. */
function removal(text: string, value: Node | undefined): Edit[] {
  const property = value?.parent;
  if (!property) return [];
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const after = property.offset + property.length;
  const next = commaAfter(text, after, text.length);
  const comma = next ?? (previous && commaAfter(text, previous.offset + previous.length, property.offset));
  return [
    { offset: property.offset, length: property.length, content: "" },
    ...(comma === undefined ? [] : [{ offset: comma, length: 1, content: "" }]),
  ];
}

/** The position of the next token, if it is a comma. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(0, to), true);
  scanner.setPosition(from);
  return scanner.scan() === commaToken ? scanner.getTokenOffset() : undefined;
}

function parsed(file: string, text: string, strict = false) {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: !strict, disallowComments: strict });
  const [error] = errors;
  if (root?.type === "object" && !error) return root;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  const what = error ? printParseErrorCode(error.error) : "no object";
  throw new Failure("failed", `${file} is no valid JSON (line ${line}: ${what}): repair it first, nothing was changed`);
}

/**
 * Reads a settings file and gives the value at a path within it; undefined if the file or the value is missing.
 * @throws Failure if the file is no JSON
 */
export function valueIn(file: string, path: (string | number)[]): unknown {
  const text = readSettings(file)?.replace(/^\uFEFF/, "");
  const node = text?.trim() && findNodeAtLocation(parsed(file, text), path);
  return node ? getNodeValue(node) : undefined;
}

const secretive = /key|token|secret|password|header/i;

export function sentence(name: string, before: unknown, after: unknown): string {
  const show = (value: unknown) => (secretive.test(name) ? "a value" : shortened(JSON.stringify(value)));
  if (after === undefined) return `removed ${name}`;
  if (before === undefined) return `added   ${name} = ${shortened(JSON.stringify(after))}`;
  return `changed ${name} = ${shortened(JSON.stringify(after))}, it was ${show(before)}`;
}

function shortened(text = ""): string {
  return text.length > 160 ? `${text.slice(0, 160)}...` : text;
}

/** Writes the files, or shows them. @throws Failure. */
export function writeChanges({ out, say }: Machine, changes: FileChange[], print: boolean): void {
  for (const { file, text, said } of changes) {
    if (print) {
      say(`${file}:`);
      out(text);
      continue;
    }
    if (said.length === 0) {
      say(`${file}: nothing to change`);
      continue;
    }
    write(file, text);
    say(`${file}:`);
    for (const line of said) say(`  ${line}`);
  }
}

function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // A link is kept: settings often lie in a repository of their own.
    const { target, mode } = existing(file) ?? { target: file, mode: 0o600 };
    replace(target, text, mode);
  } catch (error) {
    throw new Failure("failed", `cannot write ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function existing(file: string): { target: string; mode: number } | undefined {
  try {
    return { target: realpathSync(file), mode: statSync(file).mode & 0o777 };
  } catch {
    return undefined;
  }
}
