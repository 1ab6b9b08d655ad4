// Evaluates the Pulumi program and gives what it declares.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { parse } from "yaml";
import { Resources } from "../../emulators/pulumi/resources.ts";
import type { EvaluateAnswer, EvaluateRequest } from "./evaluate.ts";
import { EvaluationMemory } from "./evaluation-memory.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules", ".cache", "archway");
const memory = new EvaluationMemory(root, join(cache, "programs"));

export type Program = {
  resources: Resources;
  /** The program's own outputs, e.g. `userPoolId`. */
  exports: Record<string, unknown>;
  region: string;
};

/** The stack of `npm start` and of the tests, as a path from the repository's root. */
export const localStackFile = "local/stack.yaml";

/** The account of the role that calls models, as in a deployment whose models another account pays for. */
export const modelHostAccountId = "111111111111";

/** The settings that differ on a laptop from every stack. */
const localConfig = {
  "archway:domain": "localhost",
  // The account differs from the platform's, so that code which mixes up the two fails here.
  "archway:modelHost": JSON.stringify({ account: modelHostAccountId, deploymentRole: "deployment" }),
};

/** The values of encrypted settings for which any value will do here. */
const localSecrets: Record<string, string> = {
  "archway:originSecret": "local-origin-secret-0000000000000000",
  "archway:previousOriginSecret": "local-origin-secret-of-before-000000",
  "archway:sealingSecret": "local-sealing-secret-000000000000000",
  "archway:previousSealingSecret": "local-sealing-secret-of-before-00000",
  "archway:cloudflareZoneId": "0".repeat(32),
};

/** The values of encrypted members that nothing reads here, since external providers are simulated. */
const localMembers: Record<string, string> = { clientSecret: "local-client-secret" };

/** A mistake in the program or its configuration, shown to people without a stack trace. */
class ProgramError extends Error {}

/**
 * Reads the stack's configuration as Pulumi would hand it to the program. `overrides` replace its values; undefined leaves a key
 * out. An encrypted value is replaced by a local one, or left out if it belongs to another program, such as a provider.
 * @throws ProgramError if the file is missing or is not YAML with a `config` map, or if an encrypted value is needed.
 */
export async function readStackConfig(
  file: string,
  overrides: Record<string, string | undefined> = {},
): Promise<Record<string, string>> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new ProgramError(`The stack's configuration ${file} cannot be read.`);
  });
  const config = withLocalMembers(configOf(file, text)) as Record<string, unknown>;
  const given = { ...localConfig, ...overrides };
  const entries = Object.entries(config).filter(([key]) => !(key in given));
  const unreadable = entries.filter(([key, value]) => isEncrypted(value) && isNeeded(key)).map(([key]) => key);
  if (unreadable.length > 0) throw new ProgramError(encryptedMessage(file, unreadable));
  const texts = entries
    .map(([key, value]) => [key, isEncrypted(value) ? localSecrets[key] : asText(value)] as const)
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  const differing = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(texts), ...Object.fromEntries(differing) };
}

/** Whether a value is or holds one that `pulumi config set --secret` wrote, which only Pulumi can read. */
function isEncrypted(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  const members = Object.entries(value);
  return members.some(([key, member]) => (key === "secure" && typeof member === "string") || isEncrypted(member));
}

function withLocalMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLocalMembers);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([name, member]) => {
    const local = isEncrypted(member) ? localMembers[name] : undefined;
    return [name, local ?? withLocalMembers(member)];
  });
  return Object.fromEntries(members);
}

function isNeeded(key: string): boolean {
  return (key.startsWith("archway:") || key === "aws:region") && !(key in localSecrets);
}

function encryptedMessage(file: string, keys: string[]): string {
  return `${file}: only Pulumi can read what is encrypted there (${keys.join(", ")}). Start a copy that has these values in the clear: npm start -- --stack FILE`;
}

function configOf(file: string, text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new ProgramError(`${file} is not YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  const config = (document as { config?: unknown } | null)?.config;
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    throw new ProgramError(`${file} has no map \`config\`.`);
  }
  return config as Record<string, unknown>;
}

/** Pulumi hands structured values on as JSON. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Runs the program in a thread of its own, unless its result is remembered.
 * @throws ProgramError that lists everything that is wrong or unknown.
 */
export async function evaluateProgram(config: Record<string, string>): Promise<Program> {
  const region = config["aws:region"];
  if (!region) throw new ProgramError("aws:region: is missing in the stack's configuration.");
  const request: EvaluateRequest = {
    program: new URL("../../index.ts", import.meta.url).href,
    project: "archway",
    stack: "dev",
    region,
    config,
  };
  const answer = await memory.recall(request, () => runWorker(request));
  if (!answer.ok) throw new ProgramError(answer.problems.join("\n"));
  return { resources: new Resources(answer.resources), exports: answer.exports, region };
}

function runWorker(request: EvaluateRequest): Promise<EvaluateAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./evaluate.ts", import.meta.url), {
      workerData: request,
      // Node keeps there what it has compiled: most of an evaluation is loading Pulumi's packages.
      env: { ...process.env, NODE_COMPILE_CACHE: join(cache, "compiled") },
      // Both are kept from the terminal: Pulumi logs its errors there, and the answer has them too.
      stderr: true,
      stdout: true,
    });
    worker.once("message", (answer: EvaluateAnswer) => {
      resolve(answer);
      void worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The program's thread ended with code ${code} and no answer.`)));
  });
}
