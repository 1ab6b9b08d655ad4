// The emulated AgentCore for tests of what asks it, with AWS's own client.
import { BedrockAgentCoreControlClient } from "@aws-sdk/client-bedrock-agentcore-control";
import type { AgentCore } from "../../../emulators/agentcore/agentcore.ts";
import { Secrets } from "../../../emulators/secrets-manager/secrets.ts";
import { Store } from "../../../emulators/store.ts";
import { agentCore } from "../../../emulators/test/support/agentcore.ts";
import { clientOptions, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources, roleArn } from "../../../emulators/test/support/declared-iam.ts";
import { upstreamServer } from "../../../emulators/test/support/upstream-server.ts";

const trust = {
  Effect: "Allow",
  Principal: { Service: "bedrock-agentcore.amazonaws.com" },
  Action: "sts:AssumeRole",
  Condition: { StringEquals: { "aws:SourceAccount": "000000000000" } },
};

/** States settle at once; `close` it in the end. Its gateways' role is `gateway`. */
export async function agentCoreEndpoint() {
  const store = new Store(":memory:");
  const upstream = upstreamServer("feed");
  let service: AgentCore | undefined;
  const endpoint = await startEndpoint({
    resources: resources(
      aRole("agentcore", [allow(["bedrock-agentcore:*", "iam:PassRole", "secretsmanager:*"], "*")]),
      aRole("gateway", [allow(["bedrock-agentcore:*", "secretsmanager:*"], "*")], { trust: [trust] }),
    ),
    services: ({ clock, iam, calls }) => {
      const secrets = new Secrets({ store, clock });
      secrets.create("arn:aws:secretsmanager:eu-central-1:000000000000:secret:t1/pets-AbCdEf", '{"api_key":"value"}');
      service = agentCore({ store, clock, iam, calls, secrets, fetch: upstream.fetch });
      return [service];
    },
  });
  const agentcore = service as AgentCore;
  agentcore.configure({ gatewayMs: 0, targetMs: 0, lingerMs: 0 });
  const options = clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("agentcore")));
  const client = new BedrockAgentCoreControlClient(options);
  return {
    client,
    agentcore,
    upstream,
    faults: endpoint.faults,
    gatewayRole: roleArn("gateway"),
    async close() {
      client.destroy();
      await endpoint.close();
      store.close();
    },
  };
}
