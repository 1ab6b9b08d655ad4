// Bedrock AgentCore: Code Interpreters. Gateways and runtimes are made at run time and not by the program.
import type { Interpreter } from "../../agentcore/interpreter/interpreters.ts";
import { interpreterArn } from "../../agentcore/interpreter/interpreters.ts";
import type { Descriptor } from "../descriptor.ts";
import { idOf } from "../names.ts";
import type { Resources } from "../resources.ts";

export const codeInterpreter: Descriptor = {
  type: "aws:bedrock/agentcoreCodeInterpreter:AgentcoreCodeInterpreter",
  compute(name, inputs, region) {
    const id = `${inputs.name ?? name}-${idOf(name, 10)}`;
    return { id, outputs: { codeInterpreterId: id, codeInterpreterArn: interpreterArn(region, id) } };
  },
  inputs: {
    served: "name",
    noEffect: "description tags",
    nested: { networkConfiguration: { served: "networkMode" } },
  },
  wiring({ name, inputs }) {
    // API reference, CreateCodeInterpreter.
    const named = /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/.test(inputs.name ?? "");
    const mode = inputs.networkConfiguration?.networkMode;
    return [
      ...(named ? [] : [`code interpreter ${name}: its name must be letters, digits and _, at most 48`]),
      ...(networks.includes(mode)
        ? []
        : [`code interpreter ${name}: its network must be ${networks.join(" or ")} here`]),
    ];
  },
};

const networks = ["SANDBOX", "PUBLIC"];

export const bedrock = [codeInterpreter];

export function declaredInterpreters(resources: Resources, region: string): Interpreter[] {
  return resources.ofType(codeInterpreter.type).map(({ inputs, outputs }) => ({
    id: outputs.codeInterpreterId,
    region,
    networkMode: inputs.networkConfiguration.networkMode,
  }));
}
