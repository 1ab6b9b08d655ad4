// `mcp.<domain>`, the one origin that MCP clients talk to: metadata, sign-in, tokens, and the way to the gateways.
import { createHash } from "node:crypto";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { token } from "../../handlers/token/contract.ts";
import { edgeCodeProblems } from "../aws-limits.ts";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { publicFunctionUrl } from "../public-function-url.ts";
import { RelayDistribution } from "../relay-distribution.ts";
import { relayKey } from "./relay-key.ts";
import { connectorRequest } from "./viewer-request.ts";

type ConnectorOriginArgs = { config: StackConfig; identity: Identity };

/** A tool may work for minutes before its answer begins; CloudFront takes no more than this (handlers/proxy/contract.ts). */
const readTimeoutSeconds = 120;

export class ConnectorOrigin extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, { config, identity }: ConnectorOriginArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:ConnectorOrigin", name, {}, opts);
    this.url = `https://mcp.${config.domain}`;
    const { region } = aws.getRegionOutput({}, { parent: this });
    const signIn = this.createSignIn(name, config, identity, region);
    const fn = new LambdaFunction(
      "token",
      { contract: token, environment: { TOKEN_URL: pulumi.interpolate`${signIn}/oauth2/token` } },
      { parent: this },
    );
    new RelayDistribution(
      name,
      {
        config,
        host: `mcp.${config.domain}`,
        functionUrl: publicFunctionUrl(name, { function: fn.function, invokeMode: "BUFFERED" }, { parent: this }),
        edgeFunction: this.createEdgeFunction(name, config, identity, signIn, region),
        readTimeoutSeconds,
      },
      { parent: this },
    );
    this.registerOutputs({ url: this.url });
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

  private createEdgeFunction(
    name: string,
    config: StackConfig,
    { userPool }: Identity,
    signIn: pulumi.Output<string>,
    region: pulumi.Output<string>,
  ): aws.cloudfront.Function {
    const code = pulumi.all([signIn, region, userPool.endpoint]).apply(([signIn, region, endpoint]) => {
      const scope = `${config.names.scopePrefix}/mcp:connect`;
      const keySet = `https://${endpoint}/.well-known/jwks.json`;
      const made = connectorRequest({ origin: this.url, signIn, keySet, region, scope, relayKey: relayKey(config) });
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
