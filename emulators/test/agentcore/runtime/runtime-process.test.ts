import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, test } from "@jest/globals";

const runtimeProcess = new URL("../../../agentcore/runtime/runtime-process.ts", import.meta.url).href;

/** A thread with this code starts a runtime, as a stack does, and tells its port. */
const stack = `
import(${JSON.stringify(runtimeProcess)}).then(async ({ RuntimeProcess }) => {
  const server = 'import { createServer } from "node:net"; createServer().listen(8000);';
  const code = new Map([["index.mjs", Buffer.from(server)]]);
  const { port } = new RuntimeProcess({ code, entryPoint: ["index.mjs"], environment: {}, edgePort: 0, log: () => {} });
  require("node:worker_threads").parentPort.postMessage(await port);
});`;

test("a runtime's process ends with the stack, also if the stack could not close it", async () => {
  const worker = new Worker(stack, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  const connection = connect(port, "127.0.0.1");
  await once(connection, "connect");
  const closed = new Promise((resolve) => connection.on("error", () => {}).once("close", () => resolve("closed")));
  await worker.terminate();
  // The runtime's server closes no connection while it runs.
  expect(await closed).toBe("closed");
});
