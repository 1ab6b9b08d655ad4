// `mcp.<domain>`, the one origin that MCP clients talk to: metadata, authorization server, and the way to the gateways.
import { createHash } from "node:crypto";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { oauth } from "../../handlers/oauth/contract.ts";
import { edgeCodeProblems } from "../aws-limits.ts";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { type Link, tableLink } from "../link.ts";
import { publicFunctionUrl } from "../public-function-url.ts";
import { RelayDistribution } from "../relay-distribution.ts";
import { relayKey } from "./relay-key.ts";
import { sealingKeys } from "./sealing-keys.ts";
import { connectorRequest, corsHeaders } from "./viewer-request.ts";

type ConnectorOriginArgs = {
  config: StackConfig;
  table: aws.dynamodb.Table;
  identity: Identity;
  /** The function that reads clients' metadata documents, with the right to ask it. */
  probe: Link;
};

/** The issuer of MCP clients' sign-ins, and the beginning of every gateway's address. */
export function connectorUrl({ domain }: Pick<StackConfig, "domain">): string {
  return `https://mcp.${domain}`;
}

/** A tool may work for minutes before its answer begins; CloudFront takes no more than this (handlers/proxy/contract.ts). */
const readTimeoutSeconds = 120;

export class ConnectorOrigin extends pulumi.ComponentResource {
  constructor(name: string, args: ConnectorOriginArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:ConnectorOrigin", name, {}, opts);
    const { config, identity } = args;
    const { region } = aws.getRegionOutput({}, { parent: this });
    const signIn = this.createSignIn(name, config, identity, region);
    const fn = this.createFunction(args, signIn);
    new RelayDistribution(
      name,
      {
        config,
        host: `mcp.${config.domain}`,
        functionUrl: publicFunctionUrl(name, { function: fn.function, invokeMode: "BUFFERED" }, { parent: this }),
        edgeFunction: this.createEdgeFunction(name, config, identity, region),
        headersPolicy: this.createHeadersPolicy(name),
        readTimeoutSeconds,
      },
      { parent: this },
    );
    this.registerOutputs({});
  }

  /** The authorization server. It may read what a sign-in is for, and write how far its refresh tokens have come. */
  private createFunction({ config, table, probe }: ConnectorOriginArgs, signIn: pulumi.Output<string>) {
    const environment = {
      TABLE_NAME: tableLink(table, {
        get: ["tenant", "mcpGateway", "connectorClient", "ownRedirects", "refreshFamily"],
        put: ["audit"],
        update: ["refreshFamily"],
      }),
      STACK_NAME: pulumi.getStack(),
      MCP_URL: connectorUrl(config),
      SIGN_IN_URL: signIn,
      CONNECTOR_SCOPE: connectorScope(config),
      SEALING_KEYS: sealingKeys(config),
      PROBE_ARN: probe,
    };
    return new LambdaFunction("oauth", { contract: oauth, environment }, { parent: this });
  }

  /**
   * The pool's second domain, whose pages need no style: a pool has 20 styles, and there may be a thousand gateways. Prefixes are shared by
   * all accounts of a region.
   */
  private createSignIn(name: string, config: StackConfig, identity: Identity, region: pulumi.Output<string>) {
    const mark = createHash("sha256")
      .update(`${config.domain} ${relayKey(config)}`)
      .digest("hex")
      .slice(0, 12);
    const { domain } = new aws.cognito.UserPoolDomain(
      name,
      { userPoolId: identity.userPool.id, domain: `archway-${mark}`, managedLoginVersion: 1 },
      { parent: this },
    );
    return pulumi.interpolate`https://${domain}.auth.${region}.amazoncognito.com`;
  }

  /** A page in a browser may read the answers of tools: what it sends as authorization is its own. */
  private createHeadersPolicy(name: string): aws.cloudfront.ResponseHeadersPolicy {
    return new aws.cloudfront.ResponseHeadersPolicy(
      name,
      {
        corsConfig: {
          accessControlAllowCredentials: false,
          accessControlAllowHeaders: { items: corsHeaders.allowed },
          accessControlAllowMethods: { items: ["GET", "POST", "DELETE", "OPTIONS"] },
          accessControlAllowOrigins: { items: ["*"] },
          accessControlExposeHeaders: { items: corsHeaders.exposed },
          originOverride: true,
        },
      },
      { parent: this },
    );
  }

  private createEdgeFunction(
    name: string,
    config: StackConfig,
    { userPool }: Identity,
    region: pulumi.Output<string>,
  ): aws.cloudfront.Function {
    const code = pulumi.all([region, userPool.endpoint]).apply(([region, endpoint]) => {
      const made = connectorRequest({
        origin: connectorUrl(config),
        tokenIssuer: `https://${endpoint}`,
        region,
        scope: connectorScope(config),
        relayKey: relayKey(config),
      });
      const [problem] = edgeCodeProblems(name, made);
      if (problem) throw new Error(problem);
      return made;
    });
    return new aws.cloudfront.Function(
      name,
      { runtime: "cloudfront-js-2.0", code: pulumi.secret(code), publish: true },
      { parent: this },
    );
  }
}

/** The one scope of a connector's tokens. */
function connectorScope({ names }: StackConfig): string {
  return `${names.scopePrefix}/mcp:connect`;
}
