// HTTPS as a program on this machine has it: a host that the local stack serves is asked at the edge, which routes by the name, and any
// other one where `PUT /_local/hosts` says, or not at all.
import http from "node:http";
import type https from "node:https";
import type { PublicNames } from "./public-names.ts";

type RequestOptions = https.RequestOptions;

type LocalHttps = {
  publicNames: PublicNames;
  edgePort: number;
  /** Hosts of the stack itself. */
  hosts: readonly string[];
  /** Headers that are added to each request, for the record of calls. */
  headers: Record<string, string>;
};

/** A stand-in for `https.request`. */
export function localRequest({ publicNames, edgePort, hosts, headers }: LocalHttps) {
  return (first: string | URL | RequestOptions, ...rest: unknown[]): http.ClientRequest => {
    const url = typeof first === "string" ? new URL(first) : first instanceof URL ? first : undefined;
    const given = (url ? (typeof rest[0] === "object" ? rest[0] : {}) : first) as RequestOptions;
    const callback = rest.find((value) => typeof value === "function") as
      | ((r: http.IncomingMessage) => void)
      | undefined;
    const host = url?.hostname ?? given.hostname ?? given.host ?? "";
    const { agent: _agent, ...options } = given;
    const name = String((given.headers as http.OutgoingHttpHeaders | undefined)?.host ?? host).replace(/:\d+$/, "");
    const isOwn = hosts.includes(host);
    return http.request(
      {
        ...options,
        protocol: "http:",
        host: undefined,
        // Node looks up no IP address. With this placeholder `lookup` decides in every case.
        hostname: isOwn ? "127.0.0.1" : "public.invalid",
        ...(!isOwn && { agent: false, lookup: publicNames.connection(host, name, given.lookup) }),
        port: edgePort,
        path: url ? `${url.pathname}${url.search}` : (given.path ?? "/"),
        headers: { ...given.headers, host: isOwn ? host : name, ...headers },
      },
      callback,
    );
  };
}
