// Finds the inputs of a resource that the local stack does not know and would leave out in silence.
import type { Inputs, KnownInputs } from "./descriptor.ts";
import { descriptors } from "./descriptors.ts";
import type { DeclaredResource } from "./resources.ts";

/** Names each unknown input in a sentence. A type whose service checks its inputs itself gets none. */
export function unknownInputs({ type, name, inputs }: DeclaredResource): string[] {
  const known = descriptors.get(type)?.inputs;
  return known === undefined || known === "service" ? [] : problemsOf(known, inputs, `${type} "${name}"`);
}

function problemsOf(known: KnownInputs, inputs: Inputs, where: string): string[] {
  const { served = "", noEffect = "", fixed = {}, nested = {} } = known;
  const names = [...served.split(" "), ...noEffect.split(" "), ...Object.keys(fixed), ...Object.keys(nested)];
  return Object.entries(inputs).flatMap(([input, value]) => {
    if (value === undefined) return [];
    if (!names.includes(input)) return [`${where}: the local stack does not know the input ${input}.`];
    const only = fixed[input];
    if (only !== undefined && value !== only) return [`${where}: the local stack knows ${input} as ${only} only.`];
    const members = nested[input];
    const elements = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && typeof one === "object");
    return members ? elements.flatMap((element) => problemsOf(members, element, `${where}.${input}`)) : [];
  });
}
