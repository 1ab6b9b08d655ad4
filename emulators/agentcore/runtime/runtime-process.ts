// The process of a runtime's version: its code in a folder of its own, with its variables and the credentials of its role, and nothing of ours.
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";

/** The files of the code by their path. */
export type RuntimeCode = ReadonlyMap<string, Buffer>;

type ProcessOptions = {
  code: RuntimeCode;
  entryPoint: string[];
  environment: Record<string, string>;
  /** Where the hosts beyond the stack are asked for. */
  edgePort: number;
  log: (line: string) => void;
};

/** How long a runtime may take to listen, from "initialization timeout" of AWS's limits. */
const startMs = 30_000;

export class RuntimeProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** The port of its server on 127.0.0.1. */
  readonly port: Promise<number>;

  constructor({ code, entryPoint, environment, edgePort, log }: ProcessOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), "runtime-"));
    write(this.#folder, code);
    const port = new URL("./port-preload.ts", import.meta.url).href;
    const hosts = new URL(`./hosts-preload.ts?edge=${edgePort}`, import.meta.url).href;
    const [entry = "", ...more] = entryPoint;
    this.#child = fork(join(this.#folder, entry), more, {
      cwd: this.#folder,
      // Processes that the code starts inherit the environment, and with it the rules for hosts.
      env: { ...environment, NODE_OPTIONS: `--no-warnings --import=${hosts}` },
      execArgv: ["--import", port],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => text.trimEnd().split("\n").forEach(log));
    }
    this.port = new Promise((found, failed) => {
      const timer = setTimeout(() => failed(new Error("The runtime does not listen on port 8000.")), startMs);
      this.#child.once("message", (message) => found((message as { port: number }).port));
      this.#child.once("error", failed);
      this.#child.once("exit", (code) => failed(new Error(`The runtime ended with code ${code}.`)));
      for (const event of ["message", "error", "exit"]) this.#child.once(event, () => clearTimeout(timer));
    });
    // The error reaches whoever awaits `port`; here it only must not count as unhandled.
    this.port.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async close(): Promise<void> {
    const ended = this.hasEnded ? undefined : new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The path of a file. @throws Error for one that leads out of the folder */
function write(folder: string, code: RuntimeCode): void {
  for (const [path, content] of code) {
    const file = resolve(folder, path);
    if (!file.startsWith(folder + sep)) throw new Error(`${path}: leads out of the archive.`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
