// Cognito: the user pool with its triggers, app clients, scopes and sign-in host.
import type { Descriptor, WiringContext } from "../descriptor.ts";
import { arnOf, idOf, physicalName } from "../names.ts";
import type { DeclaredResource, Resources } from "../resources.ts";
import { mayInvoke } from "./lambda.ts";

export const userPool: Descriptor = {
  type: "aws:cognito/userPool:UserPool",
  compute(name, inputs, region) {
    const id = `${region}_${idOf(name, 9)}`;
    const arn = arnOf("cognito-idp", region, `userpool/${id}`);
    const endpoint = `cognito-idp.${region}.amazonaws.com/${id}`;
    return { id, outputs: { name: physicalName(name, inputs), arn, endpoint } };
  },
  inputs: "service",
  wiring: triggerProblems,
};

export const userPoolClient: Descriptor = {
  type: "aws:cognito/userPoolClient:UserPoolClient",
  compute(name, inputs) {
    const secret = inputs.generateSecret === true && { clientSecret: idOf(`${name} secret`, 51) };
    return { id: idOf(name, 26), outputs: { name: physicalName(name, inputs), ...secret } };
  },
  inputs: "service",
};

/** A domain of our own, or a prefix of Cognito's. */
const userPoolDomain: Descriptor = {
  type: "aws:cognito/userPoolDomain:UserPoolDomain",
  compute: (_name, inputs, region) => ({
    id: String(inputs.domain),
    outputs: { cloudfrontDistribution: "d111111abcdef8.cloudfront.net", region },
  }),
  inputs: { served: "domain userPoolId managedLoginVersion", noEffect: "certificateArn" },
};

const resourceServer: Descriptor = {
  type: "aws:cognito/resourceServer:ResourceServer",
  compute: (_name, inputs) => ({ id: `${inputs.userPoolId}|${inputs.identifier}`, outputs: {} }),
  inputs: "service",
};

const identityProvider: Descriptor = {
  type: "aws:cognito/identityProvider:IdentityProvider",
  compute: (_name, inputs) => ({ id: `${inputs.userPoolId}:${inputs.providerName}`, outputs: {} }),
  inputs: "service",
};

const managedLoginBranding: Descriptor = {
  type: "aws:cognito/managedLoginBranding:ManagedLoginBranding",
  compute: (name) => ({ id: idOf(name, 26), outputs: {} }),
  inputs: { served: "userPoolId clientId", noEffect: "useCognitoProvidedValues" },
  wiring: (declared, { resources }) => {
    const styles = resources.ofType(managedLoginBranding.type);
    const isTooMany = styles[mostStyles] === declared;
    return isTooMany ? [`user pool: it has ${styles.length} managed login styles, and ${mostStyles} are the most`] : [];
  },
};

/** "Managed login branding styles per user pool", not adjustable (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html). */
const mostStyles = 20;

export const cognito = [
  userPool,
  userPoolClient,
  userPoolDomain,
  resourceServer,
  identityProvider,
  managedLoginBranding,
];

/**
 * The declarations for the emulated service: each resource's inputs and outputs.
 * @throws Error unless the program declares one user pool, with one domain of its own and perhaps one with a prefix: a pool has
 *   one of each kind (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-add-domain.html).
 */
export function declaredPool(resources: Resources) {
  const outputsOf = ({ type }: Descriptor) => resources.ofType(type).map(({ outputs }) => outputs);
  const [pool, ...morePools] = outputsOf(userPool);
  const domains = outputsOf(userPoolDomain).map(signInDomainOf);
  const [domain, ...moreDomains] = domains.filter(({ isPrefix }) => !isPrefix).map(({ host }) => host);
  if (!pool || !domain || morePools.length > 0 || moreDomains.length > 0 || domains.length > 2) {
    throw new Error("The local stack knows one user pool with one domain of its own and one with a prefix.");
  }
  return {
    pool,
    domain,
    domains,
    styledClients: outputsOf(managedLoginBranding).map(({ clientId }): string => clientId),
    clients: outputsOf(userPoolClient),
    resourceServers: outputsOf(resourceServer),
    identityProviders: outputsOf(identityProvider),
  };
}

/** A domain without a dot is a prefix. Cognito's own default is the first version of its pages. */
function signInDomainOf({ domain, managedLoginVersion = 1, region }: DeclaredResource["outputs"]) {
  const isPrefix = !String(domain).includes(".");
  const host = isPrefix ? `${domain}.auth.${region}.amazoncognito.com` : String(domain);
  return { host, isPrefix, managedLoginVersion: Number(managedLoginVersion) };
}

/** The identities in SES that send the program's mails. They are verified by hand, so that no resource declares them. */
export function verifiedIdentities(resources: Resources): string[] {
  const senders = resources.ofType(userPool.type).map(({ inputs }) => inputs.emailConfiguration?.sourceArn);
  return senders.filter((arn) => arn !== undefined);
}

function triggerProblems({ inputs, outputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const { preTokenGenerationConfig, ...triggers } = inputs.lambdaConfig ?? {};
  const arns = [...Object.values(triggers), preTokenGenerationConfig?.lambdaArn].filter((arn) => arn !== undefined);
  return [...new Set(arns as string[])].flatMap((arn) => {
    const functionName = resources.byArn(arn)?.outputs.name;
    if (!functionName) return [`user pool: its trigger ${arn} is not declared`];
    const invocation = { functionName, principal: "cognito-idp.amazonaws.com", sourceArn: outputs.arn };
    return mayInvoke(resources, invocation) ? [] : [`user pool: Cognito may not invoke its trigger ${functionName}`];
  });
}
