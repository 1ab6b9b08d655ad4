// An AgentCore that reaches nothing but what a test gives it.
import { AgentCore } from "../../agentcore/agentcore.ts";

import { Credentials } from "../../aws/credentials.ts";

type Options = ConstructorParameters<typeof AgentCore>[0];

export function agentCore(
  given: Pick<Options, "store" | "clock" | "iam" | "calls" | "secrets"> & Partial<Options>,
): AgentCore {
  return new AgentCore({
    fetch: () => Promise.reject(new Error("nothing is reachable")),
    invoke: () => Promise.reject(new Error("there is no such function")),
    credentials: new Credentials(),
    awsUrl: () => "",
    edgePort: () => 0,
    log: () => {},
    codeAt: (bucket, key) => {
      throw new Error(`${bucket}/${key}: there is no such code.`);
    },
    interpreters: [],
    sandbox: { level: "none", runs: false },
    readObject: (uri) => {
      throw new Error(`${uri}: there is no such object.`);
    },
    ...given,
  });
}
