// Checks the rights that the program's parts need of each other and no call shows. A missing one means silence on AWS, and stops the
// start here.
import type { Iam } from "../iam/iam.ts";
import type { WiringContext } from "./descriptor.ts";
import { descriptors } from "./descriptors.ts";
import type { DeclaredResource, Resources } from "./resources.ts";

/** @throws Error that lists every missing right, and every name in a policy that AWS does not know. */
export async function checkWiring(resources: Resources, iam: Iam): Promise<void> {
  const context = contextOf(resources, iam);
  const problemsOf = async (resource: DeclaredResource) =>
    (await descriptors.get(resource.type)?.wiring?.(resource, context)) ?? [];
  const problems = [...(await Promise.all([...resources].map(problemsOf))).flat(), ...(await iam.unknownNames())];
  if (problems.length > 0) throw new Error(`The program's wiring is incomplete:\n${indented(problems)}`);
}

function contextOf(resources: Resources, iam: Iam): WiringContext {
  return {
    resources,
    async trusts(roleArn, service) {
      return (await iam.decideTrust(roleArn, service, "sts:AssumeRole")).allowed;
    },
    async allows(roleArn, action, resource) {
      const principal = { roleArn, sessionName: "wiring", sessionTags: {} };
      return (await iam.decide(principal, { action, resource })).allowed;
    },
  };
}

function indented(lines: string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
