// A measured process as the benchmark sees it: started, asked, and ended by its own id.
import { type ChildProcess, fork } from "node:child_process";
import type { Answer, Listening } from "./processes/child.ts";
import type { Usage } from "./processes/usage.ts";

export type ProgramOptions = {
  env?: Record<string, string>;
  args?: string[];
  /** Modules loaded before the program, as paths. */
  preload?: string[];
  /** For a program that says nothing: resolves to its URL once it answers. */
  whenUp?: () => Promise<string>;
  /** Answers to `stop` once it has tidied up. */
  tidies?: boolean;
};

/** What a program gets of this process's environment: nothing that could change how it runs. */
const inherited = Object.fromEntries(["PATH", "HOME", "TMPDIR"].map((name) => [name, process.env[name]]));
const startMs = 60_000;
const running = new Set<Program>();

/** Ends every program that is still there. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()));
}

export class Program {
  readonly name: string;
  url = "";
  facts: unknown;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (output: unknown) => void; reject: (error: Error) => void }>();
  readonly #tidies: boolean;
  #questions = 0;

  /** @throws Error if the program ends, or does not say within a minute that it is ready. */
  static async start(name: string, file: string, options: ProgramOptions = {}): Promise<Program> {
    const program = new Program(name, file, options);
    try {
      await program.#ready(options.whenUp);
    } catch (error) {
      await program.stop();
      throw error;
    }
    return program;
  }

  private constructor(name: string, file: string, { env, args = [], preload = [], tidies = false }: ProgramOptions) {
    this.name = name;
    this.#tidies = tidies;
    running.add(this);
    this.#child = fork(file, args, {
      env: { ...inherited, NODE_ENV: "production", ...env },
      execArgv: preload.flatMap((module) => ["--import", module]),
      serialization: "advanced",
      // Lines of a function's log go where writing costs what it costs on Lambda, a call of the system, and nobody reads.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message: Answer) => this.#take(message));
  }

  /** @throws Error in the program's words. */
  ask<Output = void>(ask: string, input?: unknown): Promise<Output> {
    const id = ++this.#questions;
    return new Promise<Output>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (output) => resolve(output as Output), reject });
      this.#child.send({ id, ask, input });
    });
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>("usage");
  }

  /** Ends the program, after it has tidied up if it has to. */
  async stop(): Promise<void> {
    running.delete(this);
    this.#child.removeAllListeners("exit");
    if (this.#tidies && this.#child.connected) await this.ask("stop").catch(() => {});
    this.#child.kill("SIGKILL");
  }

  async #ready(whenUp: (() => Promise<string>) | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`${this.name} did not start in time`)), startMs);
    this.#child.on("exit", (code) => {
      const error = new Error(`${this.name} ended with code ${code}`);
      for (const { reject: refuse } of this.#waiting.values()) refuse(error);
      reject(error);
    });
    const listening = (message: Listening) => {
      if (typeof message.url !== "string") return;
      this.#child.off("message", listening);
      this.url = message.url;
      this.facts = message.facts;
      resolve();
    };
    this.#child.on("message", listening);
    whenUp?.().then((url) => listening({ url }), reject);
    await promise.finally(() => clearTimeout(timer));
  }

  #take({ id, output, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(output);
    else waiting?.reject(new Error(error));
  }
}
