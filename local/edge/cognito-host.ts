// The identity provider's hosts at the edge: its pages and documents, and the faults that its key set can meet.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Faults } from "../aws/faults.ts";
import type { Cognito } from "../cognito/cognito.ts";
import type { RawVirtualHost } from "./edge.ts";

/** No operation of the API: faults know the key set by its document's name, of the service `cognito-idp`. */
const keySet = "jwks.json";

/** Where functions read the user pool's key set: the one host beyond AWS's endpoint that they reach. */
export function keySetHost(region: string): string {
  return `cognito-idp.${region}.amazonaws.com`;
}

export function cognitoHost(identity: Cognito, hosts: string[], faults: Faults): RawVirtualHost {
  return {
    matches: (host) => hosts.includes(host),
    async handle(request, response, baseUrl) {
      if (await reaches(request, response, faults)) await identity.handleHttp(request, response, baseUrl);
    },
  };
}

/** False for a request that a fault has ended: whatever its kind, the client gets no key set. */
async function reaches({ url = "" }: IncomingMessage, response: ServerResponse, faults: Faults): Promise<boolean> {
  const fault = url.endsWith(`/.well-known/${keySet}`) ? faults.take("cognito-idp", keySet, "") : undefined;
  const left = new AbortController();
  response.once("close", () => left.abort());
  try {
    await fault?.strike(left.signal);
    return true;
  } catch {
    response.destroy();
    return false;
  }
}
