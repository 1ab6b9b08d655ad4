// A confined command at work: what it printed, when it ended, and a watchdog that ends it when it uses too much.
import { type ChildProcess, spawn } from "node:child_process";
import { type Confinement, confined, type Level } from "./confinement.ts";
import { folderSize } from "./folder.ts";
import { usageBelow } from "./processes.ts";

export type Ended = { exitCode: number; milliseconds: number };

type Options = Confinement & { level: Level; input?: string | Buffer };

const mb = 1_048_576;
/** Bytes of an output that are kept. */
const keptBytes = 64 * mb;
const watchMs = 100;
/** How long outputs may stay open after the command has ended. */
const outputsMs = 1_000;
/** The exit code of a process that SIGKILL ended, as a shell has it. */
const killedCode = 137;

export class ConfinedProcess {
  readonly #child: ChildProcess;
  readonly #printed = { stdout: new Kept(), stderr: new Kept() };
  readonly #started = performance.now();
  readonly ended: Promise<Ended>;
  #why: string | undefined;

  constructor(command: string[], { level, input, ...confinement }: Options) {
    const { file, args, options } = confined(level, command, confinement);
    // A detached process leads a group of its own, so that it is ended together with all that it started.
    this.#child = spawn(file, args, { ...options, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const { stdin, stdout, stderr } = this.#child;
    stdout?.on("data", (chunk: Buffer) => this.#printed.stdout.add(chunk));
    stderr?.on("data", (chunk: Buffer) => this.#printed.stderr.add(chunk));
    // A command may end without reading.
    stdin?.on("error", () => {}).end(input ?? "");
    const watch = setInterval(() => this.#watch(confinement), watchMs);
    this.ended = new Promise<Ended>((resolve) => {
      const end = (code: number | null) => {
        clearInterval(watch);
        resolve({ exitCode: code ?? killedCode, milliseconds: Math.round(performance.now() - this.#started) });
      };
      this.#child.once("error", (error) => {
        this.#printed.stderr.add(Buffer.from(error.message));
        end(126);
      });
      this.#child.once("exit", () => this.#afterExit());
      this.#child.once("close", end);
    });
  }

  get stdout(): Buffer {
    return this.#printed.stdout.bytes;
  }

  /** The standard error of the process, with the reason if the watchdog ended it. */
  get stderr(): Buffer {
    const { bytes } = this.#printed.stderr;
    return this.#why === undefined ? bytes : Buffer.concat([bytes, Buffer.from(`\n${this.#why}\n`)]);
  }

  /** Ends the process with all that it started. */
  async kill(): Promise<void> {
    this.#end();
    await this.ended;
  }

  #watch({ folder, limits }: Confinement): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const { processes, memoryMb } = usageBelow(pid);
    if (memoryMb > limits.memoryMb) this.#stop(`it used more than ${limits.memoryMb} MB of memory`);
    if (processes > limits.processes) this.#stop(`it had more than ${limits.processes} processes`);
    if (folderSize(folder) > limits.diskMb * mb) this.#stop(`it wrote more than ${limits.diskMb} MB`);
  }

  #stop(why: string): void {
    this.#why ??= `The local sandbox ended the command: ${why}.`;
    this.#end();
  }

  /** Ends the rest of the process's group. Without a sandbox a child may have left the group, and holds the outputs open. */
  #afterExit(): void {
    this.#end();
    const close = () => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    };
    const timer = setTimeout(close, outputsMs);
    this.#child.once("close", () => clearTimeout(timer));
  }

  #end(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The group is empty.
    }
  }
}

/** The beginning of an output; the rest is read and dropped, so that nobody waits. */
class Kept {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, keptBytes - this.#length);
    if (kept.length === 0) return;
    this.#chunks.push(kept);
    this.#length += kept.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
