// The platform's addresses as they are on this machine, which has no DNS and no certificates.

/**
 * Replaces `https://<name>.<domain>` in a text.
 * @param edge the address of the port, `http://127.0.0.1:<port>`
 * @param connector the address of the port that stands for `mcp.<domain>`
 */
export function reachable(text: string, domain: string, edge: string, connector?: string): string {
  return text.replace(/https:\/\/([^\s"/<>]+)/g, (url, host: string) => {
    if (connector !== undefined && host === `mcp.${domain}`) return connector;
    return host.endsWith(`.${domain}`) ? `${edge}/@${host.slice(0, -domain.length - 1)}` : url;
  });
}
