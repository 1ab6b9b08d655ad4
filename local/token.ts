// `npm run token -- owner`: signs a person of the demo workspace in at the running stack and prints the access token.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signIn } from "./sign-in.ts";

const people = ["owner", "developer", "platform_admin"] as const;

type StackFile = {
  edge: string;
  clients: { console: Client; token_helper: Client };
  demo: Record<(typeof people)[number], { email: string; password: string }>;
};
type Client = { client_id: string; redirect_uri: string; scopes: string[] };

const [who, file = fileURLToPath(new URL("../.local/stack.json", import.meta.url))] = process.argv.slice(2);
const person = people.find((name) => name === who);
if (!person) {
  console.error(`Usage: npm run token -- ${people.join("|")} [stack.json]`);
  process.exit(2);
}
const { edge, clients, demo } = JSON.parse(readFileSync(file, "utf8")) as StackFile;
const { client_id, redirect_uri, scopes } = clients.token_helper;
const tokens = await signIn({
  authUrl: `${edge}/@auth`,
  clientId: client_id,
  redirectUri: redirect_uri,
  scopes,
  ...demo[person],
});
console.log(tokens.access_token);
