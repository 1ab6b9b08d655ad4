// What Pulumi loads: the program, once it is sure that this Node can read it. It is plain JavaScript because an older Node
// would stop at the first type.
import * as pulumi from "@pulumi/pulumi";

const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  throw new pulumi.RunError(
    `Archway needs Node 24, and Pulumi runs it on ${process.versions.node} (${process.execPath}). ` +
      'Put the one that npm brought first on the path: PATH="$PWD/node_modules/.bin:$PATH" pulumi up',
  );
}

export default { ...(await import("./index.ts")) };
