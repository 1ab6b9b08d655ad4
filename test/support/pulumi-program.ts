// Runs the Pulumi program, or a part of it, in process against mocks: what it declares, under which parent, with which options.
import * as pulumi from "@pulumi/pulumi";
import { invokes, outputs } from "../../local/outputs.ts";
import { readStackConfig } from "../../local/program.ts";

export type Declaration = {
  /** Pulumi's type token, e.g. `aws:iam/role:Role`. */
  type: string;
  name: string;
  /** Every output resolved. A secret is `{ secret: <value> }`, an archive the map of its files' texts. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider type has its own shape
  inputs: Record<string, any>;
  /** None under the stack itself. */
  parent: Declaration | undefined;
  options: pulumi.ResourceOptions;
};

const region = "eu-central-1";

/** The whole program with the configuration of `Pulumi.dev.yaml`. A test file can load it once. */
export async function declaredProgram(): Promise<Declaration[]> {
  return declarations(() => import("../../index.ts"), await readStackConfig("Pulumi.dev.yaml"));
}

/** What `program` declares, in its order. Computed outputs are those of the local stack. */
export async function declarations(
  program: () => unknown,
  config: Record<string, string> = {},
): Promise<Declaration[]> {
  const declared = new Map<pulumi.Resource, Declaration>();
  const inputs = new Map<string, Record<string, unknown>>();

  async function newResource(args: pulumi.runtime.MockResourceArgs): Promise<pulumi.runtime.MockResourceResult> {
    inputs.set(`${args.type}::${args.name}`, (await readable(args.inputs)) as Record<string, unknown>);
    if (args.custom === false) return { id: args.name, state: {} };
    const compute = outputs[args.type];
    if (!compute) throw new Error(`local/outputs.ts does not know ${args.type}`);
    const computed = compute(args.name, args.inputs, region);
    return { id: computed.id, state: { ...args.inputs, ...computed.outputs } };
  }

  await pulumi.runtime.setMocks({ newResource, call }, "archway", "test");
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
  return [...declared.values()].map((each) => ({ ...each, inputs: inputs.get(`${each.type}::${each.name}`) ?? {} }));
}
