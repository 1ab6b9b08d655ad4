// Runs the Pulumi program, or a part of it, in process against mocks: what it declares, under which parent, with which options.
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { descriptors } from "../../../emulators/pulumi/descriptors.ts";
import { lookups } from "../../../emulators/pulumi/lookups.ts";
import { accountOf } from "../../../emulators/pulumi/names.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";

export type Declaration = {
  /** Pulumi's type token, e.g. `aws:iam/role:Role`. */
  type: string;
  name: string;
  /** Every output resolved. A secret is `{ secret: <value> }`, an archive the texts of its files by name. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider type has its own shape
  inputs: Record<string, any>;
  /** None under the stack itself. */
  parent: Declaration | undefined;
  options: pulumi.CustomResourceOptions;
};

export class Declarations {
  /** In the program's order, components included. */
  readonly all: readonly Declaration[];

  constructor(all: readonly Declaration[]) {
    this.all = all;
  }

  ofType(type: string): Declaration[] {
    return this.all.filter((declaration) => declaration.type === type);
  }

  /** @throws Error if nothing is declared under this type and name. */
  get(type: string, name: string): Declaration {
    const found = this.ofType(type).find((declaration) => declaration.name === name);
    if (!found) throw new Error(`${type} "${name}" is not declared`);
    return found;
  }
}

const region = "eu-central-1";
const root = fileURLToPath(new URL("../../../", import.meta.url));

let whole: Promise<Declarations> | undefined;

/** The whole program as `local/stack.yaml` configures it. It runs once for all test files of a worker, as its module does. */
export function declaredProgram(): Promise<Declarations> {
  whole ??= readStackConfig(localStackFile).then((config) => declarationsOf(() => import("../../../index.ts"), config));
  return whole;
}

/**
 * Runs `program` and gives its declarations. Computed outputs are those of the local stack.
 * @throws the program's first error; Pulumi's runtime reports most of them as rejections that nobody handles.
 */
export async function declarationsOf(
  program: () => unknown,
  config: Record<string, string> = {},
): Promise<Declarations> {
  const errors: unknown[] = [];
  const keep = (error: unknown) => errors.push(error);
  process.on("unhandledRejection", keep);
  // Pulumi notes the stack of each promise that it makes, which takes longer than all else that a program does.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const declared = await run(program, config);
    await setImmediate();
    if (errors.length > 0) throw errors[0];
    return declared;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    process.off("unhandledRejection", keep);
  }
}

async function run(program: () => unknown, config: Record<string, string>): Promise<Declarations> {
  const declared = new Map<pulumi.Resource, Declaration>();
  const inputs = new Map<string, Record<string, unknown>>();

  await pulumi.runtime.setMocks(
    {
      async newResource(args) {
        inputs.set(idOf(args), (await readable(args.inputs)) as Record<string, unknown>);
        return created(args);
      },
      call: lookUp,
    },
    "archway",
    "test",
  );
  pulumi.runtime.setAllConfig(config);
  await pulumi.runtime.runInPulumiStack(async () => {
    pulumi.runtime.registerStackTransformation(({ type, name, resource, opts }) => {
      const parent = opts.parent && declared.get(opts.parent);
      declared.set(resource, { type, name, inputs: {}, parent, options: opts });
      return undefined;
    });
    await program();
  });
  await pulumi.runtime.disconnect();
  for (const declaration of declared.values()) declaration.inputs = inputs.get(idOf(declaration)) ?? {};
  return new Declarations([...declared.values()]);
}

function idOf({ type, name }: { type: string; name: string }): string {
  return `${type}::${name}`;
}

function created(args: pulumi.runtime.MockResourceArgs): pulumi.runtime.MockResourceResult {
  if (args.custom === false) return { id: args.name, state: {} };
  const descriptor = descriptors.get(args.type);
  if (!descriptor) throw new Error(`emulators/pulumi/descriptors.ts does not know ${args.type}`);
  const computed = descriptor.compute(args.name, args.inputs, region, accountOf(args.provider));
  return { id: computed.id, state: { ...args.inputs, ...computed.outputs } };
}

function lookUp({ token, inputs }: pulumi.runtime.MockCallArgs): Record<string, unknown> {
  const answer = lookups[token];
  if (!answer) throw new Error(`emulators/pulumi/lookups.ts does not know ${token}`);
  return answer(inputs, region);
}

/** Pulumi's marker of special values on the wire, and the one that says "secret". */
const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

async function readable(value: unknown): Promise<unknown> {
  if (value instanceof pulumi.asset.AssetArchive) return readable(await value.assets);
  if (value instanceof pulumi.asset.FileAsset) return readFileSync(`${root}${await value.path}`, "utf8");
  if (Array.isArray(value)) return Promise.all(value.map(readable));
  if (value === null || typeof value !== "object") return value;
  const fields = value as Record<string, unknown>;
  if (fields[signature] === secretSignature) return { secret: await readable(fields.value) };
  const entries = Object.entries(fields).map(async ([key, item]) => [key, await readable(item)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
