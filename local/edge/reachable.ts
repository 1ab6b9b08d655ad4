// The platform's addresses as they are on this machine, which has no DNS and no certificates.

/** AWS's hosts of the stack's own resources, which the edge serves by their whole name. */
const awsHost = /\.(amazoncognito\.com|gateway\.bedrock-agentcore\.[a-z0-9-]+\.amazonaws\.com)$/;

/** A document of the user pool below its issuer. The issuer itself stays as it is: tokens hold it. */
const poolDocument = /https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com(?=\/[\w-]+\/\.well-known\/)/g;

/**
 * Replaces `https://<name>.<domain>` in a text, AWS's hosts, and the address of the user pool's documents.
 * @param edge the address of the port, `http://127.0.0.1:<port>`
 * @param connector the address of the port that stands for `mcp.<domain>`
 */
export function reachable(text: string, domain: string, edge: string, connector?: string): string {
  return text.replace(poolDocument, `${edge}/@auth`).replace(/https:\/\/([^\s"/<>]+)/g, (url, host: string) => {
    if (awsHost.test(host)) return `${edge}/@${host}`;
    if (connector !== undefined && host === `mcp.${domain}`) return connector;
    return host.endsWith(`.${domain}`) ? `${edge}/@${host.slice(0, -domain.length - 1)}` : url;
  });
}
