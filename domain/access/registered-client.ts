// An app client as the table knows it. A token says what its client is for by this record alone: without one it gets nothing of the platform.
import * as z from "zod";
import { type AppClientRules, appClients } from "./app-client.ts";
import { ownAccountScope, type Scope, scopes } from "./scope.ts";

export const registeredClientSchema = z.object({
  client_id: z.string().min(1),
  use: z.enum(Object.keys(appClients) as (keyof typeof appClients)[]),
  /** Of a connector: whose gateway it is for. */
  tenant_id: z.string().min(1).optional(),
});

export type RegisteredClient = z.infer<typeof registeredClientSchema>;

/** What no token of the client may carry, whatever the app client is allowed to ask for. @param prefix of the resource server */
export function withheldScopes(client: RegisteredClient | undefined, prefix: string): string[] {
  const { scopes: own, ownAccount } = rulesOf(client);
  const others = (Object.keys(scopes) as Scope[]).filter((scope) => !own.includes(scope));
  const withheld = others.flatMap((scope) => [`${prefix}/${scope}`, scope]);
  return ownAccount ? withheld : [...withheld, ownAccountScope];
}

/** Whether the client's tokens may say that their holder is of the platform's administration. */
export function mayAdminister(client: RegisteredClient | undefined): boolean {
  return rulesOf(client).scopes.includes("control:manage");
}

/** Nobody's is treated as a connector's. */
function rulesOf(client: RegisteredClient | undefined): AppClientRules {
  return appClients[client?.use ?? "connector"];
}
