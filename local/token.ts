// `npm run token -- owner`: signs a person of the demo workspace in at the running stack and prints an access token for the
// control plane, as a browser gets one. For the proxy there are API keys and the token helper.

import { signIn } from "./demo/sign-in.ts";
import { defaultAddress, type describe } from "./describe.ts";

const people = ["owner", "developer", "platform_admin"] as const;

type Description = ReturnType<typeof describe>;

const [who, address = defaultAddress] = process.argv.slice(2);
const person = people.find((name) => name === who);
if (!person) {
  console.error(`Usage: npm run token -- ${people.join("|")} [address]`);
  process.exit(2);
}
const { edge, clients, demo } = await ask(address);
if (!demo) throw new Error("This stack has no demo workspace.");
const { client_id, redirect_uri, scopes } = clients.console;
const tokens = await signIn({
  authUrl: `${edge}/@auth`,
  clientId: client_id,
  redirectUri: redirect_uri,
  scopes,
  ...demo[person],
});
console.log(tokens.access_token);

/** An address without a scheme, e.g. `127.0.0.1:8787`, is taken as HTTP. */
function urlOf(address: string): string {
  return /^https?:/.test(address) ? address : `http://${address}`;
}

async function ask(address: string): Promise<Description> {
  try {
    return (await (await fetch(new URL("/_local/stack", urlOf(address)))).json()) as Description;
  } catch {
    console.error(`No stack answers at ${address}: start one with npm start, or name another address.`);
    process.exit(1);
  }
}
