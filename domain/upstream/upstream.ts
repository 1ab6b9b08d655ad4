// An upstream as the function `probe` asks it, the only one that opens connections to addresses that users give.
import type { SentSecret } from "./upstream-auth.ts";

/** A credential, with the place in a request in which it is sent. */
export type Credential = SentSecret & { secret: string };

/** A tool that a probe found. `digest` is a hash of its description and schema. */
export type ProbedTool = { name: string; digest: string };

/** `refusedBy` are statuses by which an API refuses a credential, beside 401 and 403. */
export type Reading = { headers?: Record<string, string>; refusedBy?: readonly number[] };

/** Each call throws UpstreamFailure. One deadline and one bound of bytes hold for all that one instance asks. */
export interface Upstream {
  /** Resolves the host and connects to nobody. */
  requirePublic(url: string): Promise<void>;
  /** The tools of an MCP server, of either era of the protocol. */
  tools(endpoint: string, credential: Credential | undefined): Promise<ProbedTool[]>;
  /** Reads from an API. It returns the status if the API does not refuse the credential, and throws if it does. */
  read(url: string, credential: Credential | undefined, reading?: Reading): Promise<number>;
}
