// Files that only their owner can read: replaced as a whole, so that nobody ever reads half of one.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../failure.ts";

/** @throws Failure with the file's name and the reason; what was there before is then unharmed. */
export function writePrivate(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replace(file, text, 0o600);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** @throws NodeJS.ErrnoException. */
export function replace(file: string, text: string, mode: number): void {
  const next = `${file}.${process.pid}.new`;
  // A killed process of the same id may have left its file.
  rmSync(next, { force: true });
  try {
    const descriptor = openSync(next, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // The mask of new files may have taken rights away.
    chmodSync(next, mode);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** @throws Failure if the file is there and cannot be removed. */
export function removePrivate(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unwritable(file, error);
  }
}

const reasons: Record<string, string> = {
  EROFS: "the file system is read-only",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is full",
  ENOENT: "its folder cannot be made",
  ENOTDIR: "a file is where a folder should be",
  EEXIST: "a file is where a folder should be",
};

function unwritable(file: string, error: unknown): Failure {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return new Failure("failed", `cannot write ${file}: ${reasons[code] ?? code}. ARCHWAY_HOME names another folder`);
}
