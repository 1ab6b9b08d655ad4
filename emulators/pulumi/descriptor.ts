// The description of a resource type that the program may declare. A new type is a new descriptor.
import type { DeclaredResource, Resources } from "./resources.ts";

export type Inputs = Record<string, unknown>;

/** A resource as its provider would make it: its id, and the outputs that it adds to the inputs. */
export type Computed = { id: string; outputs: Inputs };

export type Descriptor = {
  /** Pulumi's type token, e.g. `aws:iam/role:Role`. */
  type: string;
  /** Computes the provider's outputs. They are the same in each run, so that stored data keeps its meaning. */
  compute(name: string, inputs: Inputs, region: string, account: string): Computed;
  /** `"service"` if the emulated service reads the inputs itself and refuses what it does not know. */
  inputs: KnownInputs | "service";
  /** Names in a sentence each thing that the resource lacks and that no call shows, such as a permission. */
  wiring?(resource: DeclaredResource, context: WiringContext): string[] | Promise<string[]>;
};

/** The inputs of a type, or of an object within them. Any other input stops the start. */
export type KnownInputs = {
  /** Names of the inputs that have an effect here, with blanks between them. */
  served?: string;
  /** Names of the inputs that matter to AWS alone, with blanks between them. */
  noEffect?: string;
  /** Inputs that are known with this value only, because the emulation has that behaviour built in. */
  fixed?: Inputs;
  /** Objects, or lists of them, whose members are known one by one. */
  nested?: Record<string, KnownInputs>;
};

/** The questions that a descriptor's wiring may ask. */
export type WiringContext = {
  resources: Resources;
  /** Whether a role's trust policy lets an AWS service (`lambda.amazonaws.com`) assume it. */
  trusts(roleArn: string, service: string): Promise<boolean>;
  /** Whether a role's policies allow an action on a resource. */
  allows(roleArn: string, action: string, resourceArn: string): Promise<boolean>;
};
