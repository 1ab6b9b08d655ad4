// An app client as the table knows it. A token says what its client is for by this record alone: without one it gets nothing of the platform.
import * as z from "zod";
import { appClients } from "./app-client.ts";
import { type Scope, scopes } from "./scope.ts";

export const registeredClientSchema = z.object({
  client_id: z.string().min(1),
  use: z.enum(Object.keys(appClients) as (keyof typeof appClients)[]),
  /** Of a connector: whose gateway it is for. */
  tenant_id: z.string().min(1).optional(),
});

export type RegisteredClient = z.infer<typeof registeredClientSchema>;

/** Lets its holder change their own account at the identity provider; the console's alone (components/app-client.ts). */
const ownAccountScope = "aws.cognito.signin.user.admin";

/** What no token of the client may carry, whatever the app client is allowed to ask for. @param prefix of the resource server */
export function withheldScopes(client: RegisteredClient | undefined, prefix: string): string[] {
  const own: readonly Scope[] = client ? appClients[client.use].scopes : [];
  const others = (Object.keys(scopes) as Scope[]).filter((scope) => !own.includes(scope));
  const platform = others.flatMap((scope) => [`${prefix}/${scope}`, scope]);
  return client?.use === "console" ? platform : [...platform, ownAccountScope];
}

/** Whether the client's tokens may say that their holder is of the platform's administration. */
export function mayAdminister(client: RegisteredClient | undefined): boolean {
  const own: readonly Scope[] = client ? appClients[client.use].scopes : [];
  return own.includes("control:manage");
}
