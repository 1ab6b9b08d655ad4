// The addresses that users give: of an MCP server, and of the servers in an OpenAPI document. This is what an address must look like;
// where its name leads is judged when a connection is opened (domain/upstream/public-address.ts).
import { fieldRefusal } from "../kernel/refusal.ts";
import { isPublicAddress } from "./public-address.ts";

const longestUrl = 2_048;

/** Says what is wrong with an address, in words that follow the field's name; undefined if nothing is. */
export function upstreamUrlProblem(text: string): string | undefined {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters`;
  // Readers of addresses differ in what blanks, backslashes and other letters mean, and each has to see the same host.
  if (!/^[!-[\]-~]*$/.test(text)) return "must be printable ASCII without blanks and backslashes";
  if (/[{}]|%7[bd]/i.test(text)) return "must be a whole address without variables in braces";
  if (!/^[a-z]+:\/\//i.test(text) || !URL.canParse(text))
    return "must be an absolute address that begins with https://";
  const url = new URL(text);
  if (url.protocol !== "https:") return "must begin with https://";
  if (url.username !== "" || url.password !== "") return "must hold no user name and no password: use auth for them";
  if (url.hash !== "") return "must hold no fragment";
  const host = hostOf(url);
  if (isLiteral(url) && !isPublicAddress(host)) return "must lead to a public address";
  if (!isLiteral(url) && !host.includes(".")) return "must name a public host";
  return undefined;
}

/** @throws Refusal invalid_request that names the field */
export function requireUpstreamUrl(text: string, field: string): URL {
  const problem = upstreamUrlProblem(text);
  if (problem !== undefined) throw fieldRefusal("invalid_request", field, problem);
  return new URL(text);
}

/** The host's name, or its IP address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.+$/, "");
}

/** Whether the address has an IP address in place of a name. `URL` has written every form of IPv4 (0x7f.1, 2130706433) in four numbers. */
function isLiteral({ hostname }: URL): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
