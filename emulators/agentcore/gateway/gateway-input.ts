// What defines a gateway, with the limits of AWS's model (@aws-sdk/client-bedrock-agentcore-control, CreateGatewayRequest).
import * as z from "zod";
import { description } from "../members.ts";

const scope = z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/);

const customClaim = z.strictObject({
  inboundTokenClaimName: z.string().regex(/^[A-Za-z0-9_.\-:]+$/),
  inboundTokenClaimValueType: z.enum(["STRING", "STRING_ARRAY"]),
  authorizingClaimMatchValue: z.strictObject({
    claimMatchValue: z.union([
      z.strictObject({ matchValueString: z.string().min(1) }),
      z.strictObject({ matchValueStringList: z.array(z.string().min(1)).min(1) }),
    ]),
    claimMatchOperator: z.enum(["EQUALS", "CONTAINS", "CONTAINS_ANY"]),
  }),
});

export type CustomClaim = z.output<typeof customClaim>;

const authorizer = z
  .strictObject({
    discoveryUrl: z.string().regex(/^.+\/\.well-known\/openid-configuration$/),
    allowedAudience: z.array(z.string()).min(1).optional(),
    allowedClients: z.array(z.string()).min(1).optional(),
    allowedScopes: z.array(scope).min(1).optional(),
    advertisedScopeMapping: z.record(z.string(), z.string()).optional(),
    customClaims: z.array(customClaim).min(1).optional(),
  })
  // github.com/aws/aws-cdk/issues/35771
  .refine(
    ({ allowedAudience, allowedClients, allowedScopes, customClaims }) =>
      [allowedAudience, allowedClients, allowedScopes, customClaims].some((rule) => rule !== undefined),
    "at least one of allowedAudience, allowedClients, allowedScopes and customClaims is needed",
  );

export type JwtAuthorizer = z.output<typeof authorizer>;

const interceptor = z.strictObject({
  // The ARN may end with an alias.
  interceptor: z.strictObject({ lambda: z.strictObject({ arn: z.string().startsWith("arn:aws:lambda:").max(170) }) }),
  interceptionPoints: z
    .array(z.enum(["REQUEST", "RESPONSE"]))
    .min(1)
    .max(2),
  inputConfiguration: z
    .strictObject({
      passRequestHeaders: z.boolean(),
      payloadFilter: z
        .strictObject({ exclude: z.array(z.strictObject({ field: z.literal("RESPONSE_BODY") })) })
        .optional(),
    })
    .optional(),
});

export type Interceptor = z.output<typeof interceptor>;

const mcp = z.strictObject({
  supportedVersions: z.array(z.string()).min(1).optional(),
  instructions: z.string().min(1).max(2048).optional(),
  sessionConfiguration: z
    .strictObject({ sessionTimeoutInSeconds: z.int().min(900).max(28_800).default(3600) })
    .optional(),
  streamingConfiguration: z.strictObject({ enableResponseStreaming: z.boolean().optional() }).optional(),
  disableMcpListToolsPagination: z.boolean().optional(),
});

const members = {
  name: z.string().regex(/^([0-9a-zA-Z]-?){1,48}$/),
  description,
  roleArn: z.string().startsWith("arn:aws:iam::").max(2048),
  protocolType: z.literal("MCP").optional(),
  protocolConfiguration: z.strictObject({ mcp }).optional(),
  // A gateway that anybody may call, or by AWS's signature, is not emulated.
  authorizerType: z.literal("CUSTOM_JWT"),
  authorizerConfiguration: z.strictObject({ customJWTAuthorizer: authorizer }),
  kmsKeyArn: z.string().startsWith("arn:aws:kms:").optional(),
  interceptorConfigurations: z.array(interceptor).min(1).max(2).optional(),
  exceptionLevel: z.literal("DEBUG").optional(),
};

export const gatewayMembers = members;

const definition = z.object(members);
export type GatewayDefinition = z.output<typeof definition>;

/** The members that define a gateway, out of a call's input. */
export function definitionOf(input: object): GatewayDefinition {
  return definition.parse(input);
}
