// Cognito's hosts at the edge: its pages and documents, and the faults that its key set can have.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Faults } from "../../emulators/aws/faults.ts";
import type { Cognito } from "../../emulators/cognito/cognito.ts";
import type { RawVirtualHost } from "./edge.ts";

/** The key set is a document and no operation of the API. Faults name it by this file under the service `cognito-idp`. */
const keySet = "jwks.json";

/** The host from which functions read the user pool's key set. It is the only host of AWS that they reach beside the endpoint. */
export function keySetHost(region: string): string {
  return `cognito-idp.${region}.amazonaws.com`;
}

/** @param here an address as a browser on this machine reaches it */
export function cognitoHost(
  cognito: Cognito,
  hosts: string[],
  faults: Faults,
  here: (address: string) => string,
): RawVirtualHost {
  return {
    matches: (host) => hosts.includes(host),
    async handle(request, response, baseUrl) {
      leadHere(response, here);
      if (await passesFaults(request, response, faults)) await cognito.handleHttp(request, response, baseUrl);
    },
  };
}

/** Redirects lead to the addresses of app clients, of which those of the platform's hosts are elsewhere on this machine. */
function leadHere(response: ServerResponse, here: (address: string) => string): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers?: object) => ServerResponse;
  response.writeHead = (status: number, headers?: unknown) => {
    const { location, ...others } = (headers ?? {}) as Record<string, string>;
    return writeHead(status, { ...others, ...(location !== undefined && { location: here(location) }) });
  };
}

/** Gives false for a request that a fault has ended. The client then gets no key set. */
async function passesFaults({ url = "" }: IncomingMessage, response: ServerResponse, faults: Faults): Promise<boolean> {
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
