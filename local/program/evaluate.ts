// The worker in which the Pulumi program runs. Pulumi's runtime is global state, so that each evaluation has a thread of its own.
import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import * as pulumi from "@pulumi/pulumi";
import { unzipped } from "../../emulators/agentcore/runtime/zip.ts";
import { descriptors } from "../../emulators/pulumi/descriptors.ts";
import { unknownInputs } from "../../emulators/pulumi/known-inputs.ts";
import { lookups } from "../../emulators/pulumi/lookups.ts";
import { accountOf } from "../../emulators/pulumi/names.ts";
import "./remember-esbuild.ts";
import type { DeclaredResource } from "../../emulators/pulumi/resources.ts";

export type EvaluateRequest = {
  program: string;
  project: string;
  stack: string;
  region: string;
  config: Record<string, string>;
};

export type EvaluateAnswer =
  | { ok: true; resources: DeclaredResource[]; exports: Record<string, unknown> }
  | { ok: false; problems: string[] };

const request = workerData as EvaluateRequest;
const root = fileURLToPath(new URL("../../", import.meta.url));
const resources: DeclaredResource[] = [];
const problems = new Set<string>();

type Registered = { id: string; state: Record<string, unknown> };

async function newResource(args: pulumi.runtime.MockResourceArgs): Promise<Registered> {
  const inputs = (await plain(args.inputs, `${args.type} "${args.name}"`)) as Record<string, unknown>;
  if (args.custom === false) return { id: args.name, state: inputs };
  const descriptor = descriptors.get(args.type);
  if (!descriptor) {
    problems.add(`${args.type} "${args.name}" is declared, and the local stack does not know this type.`);
    return { id: args.name, state: inputs };
  }
  const computed = descriptor.compute(args.name, inputs, request.region, accountOf(args.provider));
  const state = { ...inputs, ...computed.outputs };
  const declared = { type: args.type, name: args.name, inputs, outputs: { ...state, id: computed.id } };
  for (const problem of unknownInputs(declared)) problems.add(problem);
  resources.push(declared);
  return { id: computed.id, state };
}

function call(args: pulumi.runtime.MockCallArgs): Record<string, unknown> {
  const lookUp = lookups[args.token];
  if (lookUp) return lookUp(args.inputs, request.region);
  problems.add(`${args.token} is looked up, and the local stack does not know it.`);
  return {};
}

/** Turns archives and secrets into plain values. An unknown value is an output that no descriptor computes. */
async function plain(value: unknown, where: string): Promise<unknown> {
  if (value instanceof pulumi.asset.AssetArchive) return plain(await value.assets, where);
  if (value instanceof pulumi.asset.FileAsset) return contentOf(`${root}${await value.path}`);
  if (Array.isArray(value)) return Promise.all(value.map((item, position) => plain(item, `${where}[${position}]`)));
  if (value === null || typeof value !== "object") return value;
  if ("__pulumiUnknown" in value) {
    problems.add(`${where} uses an output that the local stack does not compute.`);
    return undefined;
  }
  const secret = value as { "4dabf18193072939515e22adb298388d"?: string; value?: unknown };
  if (secret["4dabf18193072939515e22adb298388d"]) return plain(secret.value, where);
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await plain(item, `${where}.${key}`)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** A file's text; of an archive, those of its files by their path. */
function contentOf(path: string): string | Record<string, string> {
  const content = readFileSync(path);
  if (!path.endsWith(".zip")) return content.toString("utf8");
  return Object.fromEntries([...unzipped(content)].map(([name, file]) => [name, file.toString("utf8")]));
}

// Pulumi notes the stack of each promise that it makes, and an answer names a problem by its message alone.
Error.stackTraceLimit = 0;

async function evaluate(): Promise<EvaluateAnswer> {
  // In preview mode an output that its descriptor does not compute stays unknown instead of turning into undefined.
  await pulumi.runtime.setMocks({ newResource, call }, request.project, request.stack, true);
  pulumi.runtime.setAllConfig(request.config);
  const exported = await pulumi.runtime.runInPulumiStack(() => import(request.program));
  await pulumi.runtime.disconnect();
  if (problems.size > 0) return { ok: false, problems: [...problems] };
  return { ok: true, resources, exports: (await plain(await settled(exported), "export")) as Record<string, unknown> };
}

/** Turns the program's exports, each an output or a plain value, into plain values. */
function settled(exported: object | undefined): Promise<Record<string, unknown>> {
  const output = pulumi.output({ ...exported }) as unknown as { promise(): Promise<Record<string, unknown>> };
  return output.promise();
}

function explain(error: unknown): string[] {
  const known = [...problems];
  return known.length > 0 ? known : [error instanceof Error ? error.message : String(error)];
}

process.on("unhandledRejection", (error) => parentPort?.postMessage({ ok: false, problems: explain(error) }));
evaluate().then(
  (answer) => {
    // The thread is ended at its answer, before it would write the cache itself.
    flushCompileCache();
    parentPort?.postMessage(answer);
  },
  (error) => parentPort?.postMessage({ ok: false, problems: explain(error) }),
);
