// The token helper as people have it: its one file, run as a program in a home of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Person } from "../../../local/running-stack.ts";
import type { Access } from "../../../packages/sign-in/access-cache.ts";
import { bundle } from "../../../packages/token-helper/build.ts";
import { freePorts } from "../free-ports.ts";
import { compiledOnce } from "../runner/run-folder.ts";

const browser = fileURLToPath(new URL("../sign-in/browser.ts", import.meta.url));
const crowd = fileURLToPath(new URL("./crowd.ts", import.meta.url));

export type Finished = { code: number | null; out: string; err: string };
type Options = { env?: Record<string, string>; input?: string; signal?: AbortSignal };

/** A stack's configuration: the token helper comes back at ports that nobody else on this machine uses. */
export async function freeCallbacks(): Promise<Record<string, string>> {
  const uris = (await freePorts(2)).map((port) => `http://localhost:${port}/callback`);
  return { "archway:tokenHelperCallbackUrls": JSON.stringify(uris) };
}

export class Helper {
  readonly home = mkdtempSync(join(tmpdir(), "archway-home-"));
  readonly #file: string;
  readonly #url: string;

  private constructor(file: string, url: string) {
    this.#file = file;
    this.#url = url;
  }

  /** @param url of the platform's API */
  static async build(url: string): Promise<(person?: Person) => Promise<Helper>> {
    const file = await bundle(join(mkdtempSync(join(tmpdir(), "archway-bundle-")), "archway.cjs"));
    return async (person) => {
      const helper = new Helper(file, url);
      if (person) await helper.signIn(person);
      return helper;
    };
  }

  get folder(): string {
    return join(this.home, "archway", "default");
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Where its profiles are, and that they are in no keychain of whoever runs the tests. */
  get environment(): Record<string, string> {
    return { ARCHWAY_HOME: join(this.home, "archway"), ARCHWAY_STORE: "file" };
  }

  start(args: string[], options: Options = {}): ChildProcess {
    return this.#spawn([this.#file, ...args], options);
  }

  /** Runs the command so many times at once. */
  async crowd(count: number, args: string[]): Promise<Finished[]> {
    const child = this.#spawn([crowd, String(count), this.#file, ...args]);
    let out = "";
    child.stdout?.on("data", (chunk) => {
      out += chunk;
    });
    await new Promise((resolve) => child.once("close", resolve));
    return JSON.parse(out);
  }

  #spawn(args: string[], { env = {} }: Options = {}): ChildProcess {
    // None of the clients that this machine happens to have is started.
    const surroundings = { PATH: join(this.home, "bin"), HOME: this.home, ...compiledOnce };
    return spawn(process.execPath, args, { env: { ...surroundings, ...this.environment, ...env } });
  }

  async run(args: string[], options: Options = {}): Promise<Finished> {
    const child = this.start(args, options);
    const texts = { out: "", err: "" };
    child.stdout?.on("data", (chunk) => {
      texts.out += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      texts.err += chunk;
    });
    // A cached token is printed without a look at the input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...texts };
  }

  /** The environment of someone who sits before a browser. */
  browserOf({ email, password }: Person): Record<string, string> {
    return { BROWSER: `${process.execPath} ${browser}`, EMAIL: email, PASSWORD: password, ARCHWAY_URL: this.#url };
  }

  async signIn(person: Person): Promise<string> {
    const { code, out, err } = await this.run(["token"], { env: this.browserOf(person) });
    if (code !== 0) throw new Error(err);
    return out.trim();
  }

  access(): Access {
    return JSON.parse(readFileSync(this.file("access.json"), "utf8"));
  }

  /** As if an hour were over since the token was got. */
  expire(): void {
    const { obtained_at, ...access } = this.access();
    const expired = { ...access, obtained_at: obtained_at - 3_600_000, expires_at: Date.now() - 1_000 };
    writeFileSync(this.file("access.json"), JSON.stringify(expired));
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
