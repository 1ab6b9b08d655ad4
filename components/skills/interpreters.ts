// The Code Interpreters in which scripts run: one whose sessions reach the internet, and one whose sessions do not. Neither has a role, since code in
// a session can read its credentials.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { Link } from "../link.ts";

const networks = { none: "SANDBOX", internet: "PUBLIC" } as const;
const rights = ["StartCodeInterpreterSession", "InvokeCodeInterpreter", "StopCodeInterpreterSession"];
/** The right to find the sessions that an earlier attempt left, so that they can be stopped. */
const listing = "ListCodeInterpreterSessions";

export class Interpreters extends pulumi.ComponentResource {
  readonly #made: Record<keyof typeof networks, aws.bedrock.AgentcoreCodeInterpreter>;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Interpreters", name, {}, opts);
    const stack = pulumi.getStack().replaceAll(/\W/g, "_");
    const interpreter = (network: keyof typeof networks) =>
      new aws.bedrock.AgentcoreCodeInterpreter(
        `${name}-${network}`,
        {
          // Letters, digits and _, at most 48, and unique in the account (API reference, CreateCodeInterpreter).
          name: `archway_${stack}_${network}`.slice(0, 48),
          networkConfiguration: { networkMode: networks[network] },
        },
        { parent: this },
      );
    this.#made = { none: interpreter("none"), internet: interpreter("internet") };
    this.registerOutputs({});
  }

  /** The id of the interpreter, with the right to use its sessions. */
  sessions(network: keyof typeof networks): Link {
    const { codeInterpreterId, codeInterpreterArn } = this.#made[network];
    const actions = [...rights, listing].map((right) => `bedrock-agentcore:${right}`);
    return new Link(codeInterpreterId, [{ actions, resources: [codeInterpreterArn] }]);
  }
}
