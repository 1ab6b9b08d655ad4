// What Pulumi loads: the program, once it is sure that this Node can read it. It is plain JavaScript because an older Node would
// stop at the first type. Pulumi.yaml has the host start on Node 24; by the time this file loads it is too late to start again,
// because the host has registered the stack, which the engine takes once.
import * as pulumi from "@pulumi/pulumi";

const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  throw new pulumi.RunError(
    `Archway needs Node 24, and Pulumi runs it on ${process.versions.node} (${process.execPath}). ` +
      "Keep `nodeargs: --import ./node24.mjs` in Pulumi.yaml, which starts it on the one that npm brought.",
  );
}

export default { ...(await import("./index.ts")) };
