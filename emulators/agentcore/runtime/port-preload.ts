// A runtime loads this file before its code: the port 8000, which each runtime has for itself at AWS, becomes any free one here, the
// stack is told which, and the runtime ends with the stack.
import { Server } from "node:net";

// A stack that was killed closes its channel to the runtime, too.
process.once("disconnect", () => process.exit());

const contractPort = 8000;
const listen = Server.prototype.listen;

Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  const [first, ...rest] = given;
  const port = typeof first === "object" && first !== null ? (first as { port?: unknown }).port : first;
  if (Number(port) !== contractPort) return listen.apply(this, given as never);
  this.once("listening", () => {
    const address = this.address();
    if (typeof address === "object" && address) process.send?.({ port: address.port });
  });
  const callback = rest.find((one) => typeof one === "function");
  return listen.apply(this, [{ port: 0, host: "127.0.0.1" }, ...(callback ? [callback] : [])] as never);
} as typeof listen;
