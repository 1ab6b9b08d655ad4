// An app client's record in the table. It alone decides what the client's tokens may do; a client without a record gets no scopes of the platform.
import * as z from "zod";
import { type AppClientRules, appClients } from "./app-client.ts";
import { holdsScope, ownAccountScope, type Scope, scopes } from "./scope.ts";

export const registeredClientSchema = z.object({
  client_id: z.string().min(1),
  use: z.enum(Object.keys(appClients) as (keyof typeof appClients)[]),
  /** For a connector: the tenant whose gateway it belongs to. */
  tenant_id: z.string().min(1).optional(),
});

/** One of the program's own clients, which Pulumi registers. */
export const ownClientSchema = registeredClientSchema.extend({
  use: registeredClientSchema.shape.use.exclude(["connector"]),
});

/** A client of a gateway. Its record can give it no other use, since another function writes it. */
export const connectorSchema = registeredClientSchema.extend({
  use: z.literal("connector"),
  tenant_id: z.string().min(1),
});

export type RegisteredClient = z.infer<typeof registeredClientSchema>;

/** Scopes that are removed from the client's tokens, whatever the app client may request. @param prefix of the resource server */
export function withheldScopes(client: RegisteredClient | undefined, prefix: string): string[] {
  const { scopes: own, ownAccount } = rulesOf(client);
  const others = (Object.keys(scopes) as Scope[]).filter((scope) => !own.includes(scope));
  const withheld = others.flatMap((scope) => [`${prefix}/${scope}`, scope]);
  return ownAccount ? withheld : [...withheld, ownAccountScope];
}

/**
 * The platform's scopes of a token, as far as its app client has them now: a scope that a deployment takes away from an app client also ends for
 * the tokens that were issued before.
 * @param claim the token's `scope`
 */
export function heldScopes(client: RegisteredClient | undefined, claim: string | undefined, prefix: string): Scope[] {
  return rulesOf(client).scopes.filter((scope) => holdsScope(claim, scope, prefix));
}

/** Whether the client's tokens may carry the platform role of an administrator: the console's alone, which no program but a browser holds. */
export function mayAdminister(client: RegisteredClient | undefined): boolean {
  return client?.use === "console";
}

/** The rules of a client; a client without a record has no right at all. */
function rulesOf(client: RegisteredClient | undefined): Pick<AppClientRules, "scopes" | "ownAccount"> {
  return client ? appClients[client.use] : { scopes: [] };
}
