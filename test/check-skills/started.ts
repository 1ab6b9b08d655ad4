// A judge's program, and what it wrote.
import { execFile } from "node:child_process";

type Options = { env?: Record<string, string>; cwd?: string };

/** @throws Error with what it wrote, if it fails */
export function started(file: string, args: string[], options: Options = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, { ...limits, ...options }, (error, out, err) =>
      error ? reject(new Error(`${error.message}\n${out}\n${err}`.slice(-60_000))) : resolve(`${out}\n${err}`.trim()),
    );
    child.stdin?.end();
  });
}

export function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`"${part}" is not in: ${text.slice(0, 2_000)}`);
}
