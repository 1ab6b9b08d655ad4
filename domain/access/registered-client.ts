// An app client's record in the table. It alone decides what the client's tokens may do; a client without a record gets no scopes of the platform.
import * as z from "zod";
import { type AppClientRules, appClients } from "./app-client.ts";
import { ownAccountScope, type Scope, scopes } from "./scope.ts";

export const registeredClientSchema = z.object({
  client_id: z.string().min(1),
  use: z.enum(Object.keys(appClients) as (keyof typeof appClients)[]),
  /** For a connector: the tenant whose gateway it belongs to. */
  tenant_id: z.string().min(1).optional(),
});

export type RegisteredClient = z.infer<typeof registeredClientSchema>;

/** Scopes that are removed from the client's tokens, whatever the app client may request. @param prefix of the resource server */
export function withheldScopes(client: RegisteredClient | undefined, prefix: string): string[] {
  const { scopes: own, ownAccount } = rulesOf(client);
  const others = (Object.keys(scopes) as Scope[]).filter((scope) => !own.includes(scope));
  const withheld = others.flatMap((scope) => [`${prefix}/${scope}`, scope]);
  return ownAccount ? withheld : [...withheld, ownAccountScope];
}

/** Whether the client's tokens may carry the platform role of an administrator: the console's alone, which no program but a browser holds. */
export function mayAdminister(client: RegisteredClient | undefined): boolean {
  return client?.use === "console";
}

/** A client without a record is treated as a connector. */
function rulesOf(client: RegisteredClient | undefined): AppClientRules {
  return appClients[client?.use ?? "connector"];
}
