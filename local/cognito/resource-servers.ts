// Resource servers and their scopes, which access tokens show as `<identifier>/<scope>`.
import * as z from "zod";
import { AwsError } from "../aws/service.ts";
import type { Collection } from "../store.ts";
import { type Declarable, deploy, noBehaviour, readDeclared } from "./declared.ts";

/** Scopes that exist without a resource server. */
export const systemScopes = ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin"];

/** From Cognito's API reference: ResourceServerIdentifierType and ResourceServerScopeNameType. */
export const identifierPattern = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;
export const scopeNamePattern = /^[\x21\x23-\x2E\x30-\x5B\x5D-\x7E]{1,256}$/;

const resourceServerInputs = z.strictObject({
  identifier: z.string().regex(identifierPattern),
  name: z.string(),
  scopes: z
    .array(z.strictObject({ scopeName: z.string().regex(scopeNamePattern), scopeDescription: z.string() }))
    .default([]),
  userPoolId: z.string(),
  id: noBehaviour,
  region: noBehaviour,
  scopeIdentifiers: noBehaviour,
});

export type Scope = { scopeName: string; scopeDescription: string };

export type ResourceServer = Declarable & { name: string; scopes: Scope[] };

export class ResourceServers {
  readonly #stored: Collection<ResourceServer>;
  readonly #poolId: string;

  /** @param declared inputs and outputs of each declared `aws.cognito.ResourceServer`. */
  constructor(stored: Collection<ResourceServer>, poolId: string, declared: unknown[]) {
    this.#stored = stored;
    this.#poolId = poolId;
    const servers = declared.map((inputs) => readDeclared("resource server", resourceServerInputs, inputs));
    deploy(
      stored,
      servers.map(({ identifier, name, scopes }) => ({ id: identifier, name, scopes, declared: true })),
    );
  }

  /** @throws AwsError ResourceNotFoundException */
  get(identifier: string): ResourceServer {
    const server = this.#stored.get(identifier);
    if (server) return server;
    throw new AwsError("ResourceNotFoundException", `Resource server ${identifier} does not exist.`);
  }

  exists(identifier: string): boolean {
    return this.#stored.get(identifier) !== undefined;
  }

  /** @throws AwsError InvalidParameterException if the identifier is taken. */
  create(server: Omit<ResourceServer, "declared">): void {
    if (this.exists(server.id)) {
      const message = `${server.id} already exists in user pool ${this.#poolId}.`;
      throw new AwsError("InvalidParameterException", message);
    }
    this.#stored.put(server.id, { ...server, declared: false });
  }

  /** @throws AwsError ResourceNotFoundException */
  delete(identifier: string): void {
    this.get(identifier);
    this.#stored.delete(identifier);
  }

  /** Whether a scope can appear in a token now: deleting a server makes its scopes inactive. */
  scopeExists(scope: string): boolean {
    if (systemScopes.includes(scope)) return true;
    const slash = scope.lastIndexOf("/");
    const server = this.#stored.get(scope.slice(0, slash));
    return server?.scopes.some(({ scopeName }) => scopeName === scope.slice(slash + 1)) ?? false;
  }
}
