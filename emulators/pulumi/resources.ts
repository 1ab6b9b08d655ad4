// The resources that the program declares, each with its inputs and its computed outputs.

export type DeclaredResource = {
  /** Pulumi's type token, e.g. `aws:iam/role:Role`. */
  type: string;
  /** The logical name in the program; the name on AWS is `outputs.name`. */
  name: string;
  /** The program's inputs in camelCase, with every output resolved. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider type has its own shape
  inputs: Record<string, any>;
  /** The inputs and what the provider computes, e.g. `arn`, `id`, `name`. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider type has its own shape
  outputs: Record<string, any>;
};

export class Resources {
  readonly #all: readonly DeclaredResource[];
  readonly #byArn = new Map<string, DeclaredResource>();

  constructor(resources: readonly DeclaredResource[]) {
    this.#all = resources;
    for (const resource of resources) {
      // A resource that has an ARN among its inputs names another one by it, e.g. a target or a permission does.
      const { arn } = resource.outputs;
      if (typeof arn === "string" && resource.inputs.arn === undefined) this.#byArn.set(arn, resource);
    }
  }

  [Symbol.iterator](): Iterator<DeclaredResource> {
    return this.#all[Symbol.iterator]();
  }

  /** Every resource of one type token, in the program's order. */
  ofType(type: string): DeclaredResource[] {
    return this.#all.filter((resource) => resource.type === type);
  }

  byArn(arn: string): DeclaredResource | undefined {
    return this.#byArn.get(arn);
  }

  /** Finds a resource by its name on AWS (`outputs.name`), by which other resources refer to it. */
  byName(type: string, name: string): DeclaredResource | undefined {
    return this.#all.find((resource) => resource.type === type && resource.outputs.name === name);
  }
}
