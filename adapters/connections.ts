// The connections of AWS's SDK: they are kept between calls, and closed once they were idle for too long.
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";

/**
 * AWS closes an idle connection after a minute or later, and a frozen function does not hear of it. A call on such a
 * connection waits for its timeout: after 100 s in the freezer it cost 2 s.
 */
const idleMs = 30_000;

const options = { keepAlive: true, maxSockets: 50 } satisfies AgentOptions;

/** For a client's `requestHandler`. */
export function agents(idle = idleMs): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  return { httpAgent: fresh(new HttpAgent(options), idle), httpsAgent: fresh(new HttpsAgent(options), idle) };
}

/**
 * An agent that leaves a connection out once it was idle for too long, by the clock: timers stand still in a frozen
 * function, and those that are due fire only after the first call has taken its connection.
 */
function fresh<A extends HttpAgent>(agent: A, idle: number): A {
  const freeSince = new WeakMap<Duplex, number>();
  agent.on("free", (socket: Duplex) => freeSince.set(socket, Date.now()));
  const isStale = (socket: Duplex) => Date.now() - (freeSince.get(socket) ?? 0) > idle;
  const getName = agent.getName.bind(agent);
  // The agent asks for the name before it chooses a connection, and never chooses a destroyed one.
  agent.getName = (asked) => {
    const name = getName(asked);
    for (const socket of agent.freeSockets[name] ?? []) if (isStale(socket)) socket.destroy();
    return name;
  };
  return agent;
}
