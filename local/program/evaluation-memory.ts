// Remembers the program's declarations by everything that they depend on: sources, locked packages, Node and configuration. Most
// of a start is the evaluation with its bundles. Only the local stack remembers; a deployment evaluates the program itself.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { EvaluateAnswer, EvaluateRequest } from "./evaluate.ts";

type Answer = Extract<EvaluateAnswer, { ok: true }>;

/** The files and folders that the program and its evaluation read. */
const sources = [
  "actions",
  "adapters",
  "components",
  "console",
  "domain",
  "emulators",
  "handlers",
  "local",
  "runtimes",
  "index.ts",
  "program.mjs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
/** The number of remembered answers, of some megabytes each. Tests and a few edits need as many. */
const kept = 40;

export class EvaluationMemory {
  readonly #root: string;
  readonly #folder: string;

  /** @param root the checkout. @param folder the folder of the answers, shared by all stacks of the checkout. */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Gives the earlier answer for the same request and sources, or the answer of `evaluate`. Problems are not remembered. */
  async recall(request: EvaluateRequest, evaluate: () => Promise<EvaluateAnswer>): Promise<EvaluateAnswer> {
    const file = join(this.#folder, this.#keyOf(request));
    const known = read(file);
    if (known) return known;
    const answer = await evaluate();
    // An answer is not kept if the sources changed meanwhile.
    if (answer.ok && file === join(this.#folder, this.#keyOf(request))) this.#write(file, answer);
    return answer;
  }

  #keyOf(request: EvaluateRequest): string {
    const hash = createHash("sha256").update(JSON.stringify([process.version, request]));
    const catalog = request.config["archway:catalog"];
    for (const path of [...sources, ...(catalog === undefined ? [] : [catalog])]) this.#add(hash, path);
    return hash.digest("hex").slice(0, 32);
  }

  #add(hash: ReturnType<typeof createHash>, path: string): void {
    const absolute = join(this.#root, path);
    const found = statSync(absolute, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      for (const name of readdirSync(absolute).sort()) this.#add(hash, join(path, name));
    } else if (found) {
      hash.update(JSON.stringify([path, found.size])).update(readFileSync(absolute));
    }
  }

  /** Where the folder cannot be written, as in a checkout that can only be read, nothing is remembered. */
  #write(file: string, answer: Answer): void {
    try {
      this.#remember(file, answer);
    } catch {
      // The program is evaluated again next time.
    }
  }

  #remember(file: string, answer: Answer): void {
    mkdirSync(this.#folder, { recursive: true });
    const draft = `${file}.${randomUUID()}`;
    // A configuration may hold secrets.
    writeFileSync(draft, serialize(answer), { mode: 0o600 });
    renameSync(draft, file);
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    const age = (name: string) => statSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const names = readdirSync(this.#folder).map((name) => ({ name, at: age(name) }));
    for (const { name } of names.sort((one, other) => other.at - one.at).slice(kept)) {
      rmSync(join(this.#folder, name), { force: true });
    }
  }
}

/** Gives undefined for a file that is missing or cannot be read. */
function read(file: string): Answer | undefined {
  try {
    const answer = deserialize(readFileSync(file)) as Answer;
    const now = new Date();
    utimesSync(file, now, now);
    return answer;
  } catch {
    return undefined;
  }
}
