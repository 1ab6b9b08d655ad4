// The addresses of the platform in what the console gets: its `config.json`, and the hosts to which a browser lets it speak.
import { reachable } from "./reachable.ts";

export type LocalAddresses = {
  /** The address of the port, `http://127.0.0.1:<port>`. */
  edge: string;
  /** The address of all AWS services here. */
  aws: string;
};

export type LocalPlatform = LocalAddresses & { domain: string; region: string };

const userPoolApi = (region: string) => `https://cognito-idp.${region}.amazonaws.com`;

/** The text of `config.json`. The issuer begins like the user pool's address, and stays, since tokens hold it. */
export function reachableConfig(text: string, { domain, region, edge, aws }: LocalPlatform): string {
  return reachable(text, domain, edge).replaceAll(JSON.stringify(userPoolApi(region)), JSON.stringify(aws));
}

/** Headers whose content security policy names the platform's hosts: here they are one origin, and AWS another. */
export function reachableHeaders(
  headers: Record<string, string>,
  { domain, region, edge, aws }: LocalPlatform,
): Record<string, string> {
  const policy = headers["content-security-policy"];
  if (policy === undefined) return headers;
  const local = policy.replace(/https:\/\/[^\s;]+/g, (url) => {
    if (url === userPoolApi(region)) return aws;
    return url.endsWith(`.${domain}`) ? edge : url;
  });
  return { ...headers, "content-security-policy": local };
}
