// What a run gives back: how its script ended, what it printed and the files that it left, within the limits and without the values of secrets.
import { masked } from "./masking.ts";
import { runLimits } from "./run-limits.ts";
import type { RunOutput } from "./run-objects.ts";
import type { Session } from "./sandbox.ts";
import { keptBytes, listedFiles, places } from "./session-script.ts";

export type RunResult = {
  /** Undefined if the script did not come to its end. */
  exitCode: number | undefined;
  output: RunOutput;
  /** Whether more was printed than is kept. */
  isCut: boolean;
  files: { name: string; content: Buffer }[];
  /** Whether there were files beyond the limits. */
  isMore: boolean;
};

export async function resultOf(session: Pick<Session, "read">, secrets: readonly string[]): Promise<RunResult> {
  const read = async (path: string) => (await session.read(path)) ?? Buffer.alloc(0);
  const code = /^\d{1,3}$/.exec((await read(places.code)).toString().trim())?.[0];
  const output = printed(await read(places.output), keptBytes.output, runLimits.outputBytes, secrets);
  const stderr = printed(await read(places.stderr), keptBytes.stderr, runLimits.stderrBytes, secrets);
  const listed = listedFiles((await read(places.files)).toString());
  const files: RunResult["files"] = [];
  for (const { name, size } of listed.files) {
    const content = await session.read(`${places.outputs}/${name}`);
    // A file that is larger than when it was listed is still written to, by a process that the script left.
    if (content && content.length <= size) {
      files.push({ name: masked(Buffer.from(name), secrets).toString(), content: masked(content, secrets) });
    }
  }
  const isMore = listed.isMore || files.length < listed.files.length;
  return {
    exitCode: code === undefined ? undefined : Number(code),
    output: { output: output.text, stderr: stderr.text },
    isCut: output.isCut || stderr.isCut,
    files,
    isMore,
  };
}

/** @param kept as many bytes as the session has kept of it at the most */
function printed(bytes: Buffer, kept: number, most: number, secrets: readonly string[]) {
  const isFull = bytes.length >= kept;
  const clean = masked(bytes.subarray(0, kept), secrets, isFull);
  return { text: cutText(clean, most), isCut: isFull || clean.length > most };
}

/** The beginning of a text, without the half of a character at its end. */
function cutText(bytes: Buffer, most: number): string {
  if (bytes.length <= most) return bytes.toString();
  let end = most;
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
