// Redirect addresses of MCP clients: what one may look like, and when the address of a request is a known one.

const longest = 2_048;
const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** Schemes of programs that have no address of another kind (RFC 8252, 7.1). */
const programSchemes = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:"];

/** Says what is wrong with a redirect address, in words that follow it; undefined if nothing is. */
export function redirectProblem(text: string): string | undefined {
  if (text.length > longest) return `must have at most ${longest} characters`;
  // Readers of addresses differ in what blanks, backslashes and other letters mean.
  if (!/^[!-[\]-~]+$/.test(text) || !URL.canParse(text)) return "must be an absolute address in printable ASCII";
  const url = new URL(text);
  if (text.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "" || /^[^/?]*\/\/[^/?]*@/.test(text)) return "must have no user name";
  // A browser reads `https:example.com` as an address of another host than a strict reader does.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?]/i.test(text)) return "must name its host after two slashes";
  if (url.protocol === "https:" || isLoopback(url) || programSchemes.includes(url.protocol)) return undefined;
  return `must begin with https://, with http:// and this machine (${loopbackHosts.join(", ")}), or with a listed scheme of a program`;
}

/** Whether an address leads to a program on the person's own machine. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && loopbackHosts.includes(hostname);
}

/** Whether an address leads to the person's own machine: to a port of it, or to a program by its scheme. */
export function isOnThisMachine(address: string): boolean {
  const url = new URL(address);
  return isLoopback(url) || programSchemes.includes(url.protocol);
}

/** Whether the address of a request is a known one: letter by letter, except for the port of a loopback address (RFC 8252, 7.3). */
export function isSameRedirect(known: string, asked: string): boolean {
  if (known === asked) return true;
  const [one, other] = [URL.parse(known), URL.parse(asked)];
  if (!one || !other || !isLoopback(one) || !isLoopback(other)) return false;
  return one.hostname === other.hostname && one.pathname === other.pathname && one.search === other.search;
}

/** The address with further parameters. What it has already stays letter by letter. */
export function withParameters(address: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}
