// The program's app clients, and their tokens for people of the local stack.
import { userPoolClient } from "../../emulators/pulumi/services/cognito.ts";
import type { Program } from "../program/program.ts";
import type { Stack } from "../running-stack.ts";
import { signIn, type Tokens } from "./sign-in.ts";

export type AppClient = { client_id: string; redirect_uri: string; scopes: string[] };
type Credentials = { email: string; password: string; newPassword?: string };

/** @throws Error if the stack's configuration gives the client no callback on this machine. */
export function appClient(
  { exports, resources }: Program,
  name: "console" | "tokenHelper" | "tokenHelperWrite" | "skills",
): AppClient {
  const client_id = exports[`${name}ClientId`] as string;
  const declared = resources.ofType(userPoolClient.type).find(({ outputs }) => outputs.id === client_id);
  const { callbackUrls = [], allowedOauthScopes = [] } = declared?.inputs ?? {};
  const redirect_uri = callbackUrls.find((url: string) => /^http:\/\/(console\.)?localhost[:/]/.test(url));
  if (!redirect_uri) throw new Error(`archway: the app client ${name} has no callback on this machine`);
  const scopes = allowedOauthScopes.filter((scope: string) => scope.includes("/"));
  return { client_id, redirect_uri, scopes };
}

/** Gets an access token of the console, as a browser does. */
export async function consoleToken(stack: Stack, person: Credentials): Promise<string> {
  return (await tokensOf(stack, "console", person)).access_token;
}

/** Gets an access token of the token helper, which calls models and reads. */
export async function helperToken(stack: Stack, person: Credentials): Promise<string> {
  return (await helperTokens(stack, person)).access_token;
}

/** Gets all tokens of the token helper. */
export function helperTokens(stack: Stack, person: Credentials): Promise<Tokens> {
  return tokensOf(stack, "tokenHelper", person);
}

/** Gets an access token of the skills server. */
export async function skillsToken(stack: Stack, person: Credentials): Promise<string> {
  return (await tokensOf(stack, "skills", person)).access_token;
}

function tokensOf(stack: Stack, name: "console" | "tokenHelper" | "skills", person: Credentials): Promise<Tokens> {
  const { client_id, redirect_uri, scopes } = appClient(stack.program, name);
  const { email, password, newPassword } = person;
  const replacing = newPassword === undefined ? {} : { newPassword };
  const signingIn = { clientId: client_id, redirectUri: redirect_uri, scopes, email, password, ...replacing };
  return signIn({ ...signingIn, authUrl: stack.at("auth") });
}
