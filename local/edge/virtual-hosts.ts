// The hosts that the program declares: its HTTP APIs, its distributions and the sign-in host.

import type { AgentCore } from "../../emulators/agentcore/agentcore.ts";
import type { Faults } from "../../emulators/aws/faults.ts";
import type { Clock } from "../../emulators/clock.ts";
import type { Cognito } from "../../emulators/cognito/cognito.ts";
import type { Hosts } from "../../emulators/hosts.ts";
import { FunctionUrl } from "../../emulators/lambda/function-url.ts";
import type { Functions } from "../../emulators/lambda/functions.ts";
import type { PriceList } from "../../emulators/model-lists/price-list.ts";
import { apiMapping } from "../../emulators/pulumi/services/api-gateway.ts";
import { distribution } from "../../emulators/pulumi/services/cloudfront.ts";
import { declaredPool } from "../../emulators/pulumi/services/cognito.ts";
import { functionUrl } from "../../emulators/pulumi/services/lambda.ts";
import { bucket } from "../../emulators/pulumi/services/s3.ts";
import { apiHost, type Stripe } from "../../emulators/stripe/stripe.ts";
import type { Program } from "../program/program.ts";
import { BucketOrigin } from "./bucket-origin.ts";
import { cognitoHost, keySetHost } from "./cognito-host.ts";
import type { LocalAddresses } from "./console-addresses.ts";
import { Distribution } from "./distribution.ts";
import type { RawVirtualHost, VirtualHost } from "./edge.ts";
import { HttpApi } from "./http-api.ts";

type Parts = {
  functions: Functions;
  cognito: Cognito;
  stripe: Stripe;
  agentcore: Pick<AgentCore, "gatewayHost">;
  hosts: Hosts;
  clock: Clock;
  faults: Faults;
  priceList: PriceList;
  /** The addresses of the edge and of AWS, which a file of the console names. */
  addresses: LocalAddresses;
  /** The address of the connectors' origin. */
  connector: () => string;
};

/** The host of Stripe's pages, and of its API for clients that cannot resolve `api.stripe.com` to this machine. */
export const stripePages = "stripe";

/** @throws Error for a host of a kind that the local stack does not serve. */
export function virtualHosts(
  program: Program,
  { functions, cognito, stripe, agentcore, hosts, clock, faults, priceList, addresses, connector }: Parts,
): (VirtualHost | RawVirtualHost)[] {
  const { resources, region } = program;
  const now = () => clock.now();
  const urls = resources
    .ofType(functionUrl.type)
    .map((declared) => new FunctionUrl(declared, (name) => functions.byName(name), now));
  const local = { domain: platformDomain(program), region, ...addresses };
  const buckets = resources.ofType(bucket.type).map((declared) => new BucketOrigin(declared, resources, local));
  const originByHost = (host: string) => {
    const origin = [...urls, ...buckets].find((candidate) => candidate.host === host);
    if (!origin) throw new Error(`A distribution's origin ${host} is no function URL and no bucket of the program.`);
    return origin;
  };
  return [
    ...resources
      .ofType(apiMapping.type)
      .map((mapping) => new HttpApi(mapping, resources, (arn) => functions.byArn(arn), now, connector)),
    ...resources
      .ofType(distribution.type)
      .map((declared) => new Distribution(declared, resources, { originByHost, local, now })),
    cognitoHost(
      cognito,
      [...declaredPool(resources).domains.map(({ host }) => host), keySetHost(region)],
      faults,
      (address) => address.replace(`https://mcp.${local.domain}/`, `${connector()}/`),
    ),
    {
      matches: (host) => host === apiHost || host === `${stripePages}.${platformDomain(program)}`,
      handle: (request, response) => stripe.handle(request, response),
    },
    agentcore.gatewayHost,
    priceList,
    hosts,
  ];
}

/** The platform's domain, taken from the sign-in host. */
export function platformDomain({ resources }: Program): string {
  return declaredPool(resources).domain.replace(/^auth\./, "");
}
