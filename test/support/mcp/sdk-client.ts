// An application with MCP's own SDK that knows a gateway's address and nothing else, and the person in front of it.
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Browser } from "../../../local/demo/sign-in.ts";
import type { Person } from "../../../local/running-stack.ts";
import { agree } from "./connector.ts";

type Stored = {
  information?: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  verifier?: string;
  discovered?: Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
  asked?: URL;
};

export class SdkClient {
  readonly endpoint: string;
  readonly redirectUrl: string;
  readonly stored: Stored = {};
  readonly #provider: OAuthClientProvider;

  /** @param clientMetadataUrl where the application publishes its metadata document, if it does */
  constructor(
    endpoint: string,
    { port = 39_191, clientMetadataUrl }: { port?: number; clientMetadataUrl?: string } = {},
  ) {
    this.endpoint = endpoint;
    this.redirectUrl = `http://localhost:${port}/oauth/callback`;
    const { stored, redirectUrl } = this;
    this.#provider = {
      redirectUrl,
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      clientMetadata: { client_name: "SDK", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
      clientInformation: () => stored.information,
      saveClientInformation: (information) => void Object.assign(stored, { information }),
      tokens: () => stored.tokens,
      saveTokens: (tokens) => void Object.assign(stored, { tokens }),
      redirectToAuthorization: (asked) => void Object.assign(stored, { asked }),
      saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
      codeVerifier: () => stored.verifier ?? "",
      state: () => "state of the SDK",
      discoveryState: () => stored.discovered,
      saveDiscoveryState: (discovered) => void Object.assign(stored, { discovered }),
    };
  }

  /** From the address alone to a connected client, by way of the browser of a person who agrees. */
  async connect(person: Person): Promise<Client> {
    const transport = this.#transport();
    await newClient()
      .connect(transport)
      .catch((error: Error) => {
        if (this.stored.asked === undefined) throw error;
      });
    const back = await agree(new Browser(), String(this.stored.asked), person, this.redirectUrl);
    await transport.finishAuth(new URL(back).searchParams);
    return this.reconnect();
  }

  /** A client with the tokens that the application has. */
  async reconnect(): Promise<Client> {
    const client = newClient();
    await client.connect(this.#transport());
    return client;
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(this.endpoint), { authProvider: this.#provider });
  }
}

function newClient(): Client {
  return new Client({ name: "sdk", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
}
