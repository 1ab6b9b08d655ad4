// The declared resource servers and their scopes, which access tokens show as `<identifier>/<scope>`.
import * as z from "zod";
import { noBehaviour, readDeclared } from "./declared.ts";

/** Scopes that exist without a resource server. */
const systemScopes = ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin"];

/** From Cognito's API reference: ResourceServerIdentifierType and ResourceServerScopeNameType. */
const identifierPattern = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;
const scopeNamePattern = /^[\x21\x23-\x2E\x30-\x5B\x5D-\x7E]{1,256}$/;

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

export class ResourceServers {
  readonly #identifiers: Set<string>;
  readonly #scopes: Set<string>;

  /** @param declared inputs and outputs of each declared `aws.cognito.ResourceServer`. */
  constructor(declared: unknown[]) {
    const servers = declared.map((inputs) => readDeclared("resource server", resourceServerInputs, inputs));
    this.#identifiers = new Set(servers.map(({ identifier }) => identifier));
    const scopes = servers.flatMap(({ identifier, scopes }) =>
      scopes.map(({ scopeName }) => `${identifier}/${scopeName}`),
    );
    this.#scopes = new Set([...systemScopes, ...scopes]);
  }

  exists(identifier: string): boolean {
    return this.#identifiers.has(identifier);
  }

  /** Whether a scope can appear in a token now. */
  scopeExists(scope: string): boolean {
    return this.#scopes.has(scope);
  }
}
