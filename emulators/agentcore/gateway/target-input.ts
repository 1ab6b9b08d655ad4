// What defines a target, with the limits of AWS's model (@aws-sdk/client-bedrock-agentcore-control, CreateGatewayTargetRequest). The
// kinds that the platform uses are emulated: OpenAPI documents and MCP servers.
import * as z from "zod";
import { description } from "../members.ts";

const megabyte = 1024 * 1024;

const s3 = z.strictObject({ uri: z.string().regex(/^s3:\/\/.{1,2043}$/), bucketOwnerAccountId: z.string().optional() });

const schema = z.union([
  // Quota "inline schema": 1 MB.
  z.strictObject({
    inlinePayload: z.string().refine((text) => Buffer.byteLength(text) <= megabyte, "must have 1 MB at most"),
  }),
  z.strictObject({ s3 }),
]);

export type SchemaSource = z.output<typeof schema>;

const mcpServer = z.strictObject({
  endpoint: z.url({ protocol: /^https$/ }),
  mcpToolSchema: schema.optional(),
  listingMode: z.enum(["DEFAULT", "DYNAMIC"]).optional(),
  resourcePriority: z.int().min(0).max(1000).optional(),
});

export type McpServerTarget = z.output<typeof mcpServer>;

const configuration = z.strictObject({
  mcp: z.union([z.strictObject({ openApiSchema: schema }), z.strictObject({ mcpServer })]),
});

const apiKey = z.strictObject({
  credentialProviderType: z.literal("API_KEY"),
  credentialProvider: z.strictObject({
    apiKeyCredentialProvider: z.strictObject({
      providerArn: z.string().startsWith("arn:aws:bedrock-agentcore:"),
      credentialParameterName: z.string().min(1).max(64).optional(),
      credentialPrefix: z.string().min(1).max(64).optional(),
      credentialLocation: z.enum(["HEADER", "QUERY_PARAMETER"]).optional(),
    }),
  }),
});

const gatewayRole = z.strictObject({
  credentialProviderType: z.literal("GATEWAY_IAM_ROLE"),
  credentialProvider: z.strictObject({
    iamCredentialProvider: z.strictObject({ service: z.string().min(1), region: z.string().optional() }),
  }),
});

export type ApiKeyCredential = z.output<typeof apiKey>["credentialProvider"]["apiKeyCredentialProvider"];

const headerNames = z.array(z.string().min(1)).min(1).max(10).optional();

export const targetMembers = {
  name: z.string().regex(/^([0-9a-zA-Z]-?){1,100}$/),
  description,
  targetConfiguration: configuration,
  credentialProviderConfigurations: z
    .array(z.discriminatedUnion("credentialProviderType", [apiKey, gatewayRole]))
    .length(1)
    .optional(),
  metadataConfiguration: z
    .strictObject({
      allowedRequestHeaders: headerNames,
      allowedQueryParameters: headerNames,
      allowedResponseHeaders: headerNames,
    })
    .optional(),
};

const definition = z.object(targetMembers);
export type TargetDefinition = z.output<typeof definition>;

/** The members that define a target, out of a call's input. */
export function targetDefinitionOf(input: object): TargetDefinition {
  return definition.parse(input);
}

/** The MCP server of a target, if it is one. */
export function serverOf({ targetConfiguration: { mcp } }: TargetDefinition): McpServerTarget | undefined {
  return "mcpServer" in mcp ? mcp.mcpServer : undefined;
}

/** The scope of signatures by the gateway's role, if the target wants them. */
export function signingScopeOf({ credentialProviderConfigurations = [] }: TargetDefinition, region: string) {
  const [credential] = credentialProviderConfigurations;
  if (credential?.credentialProviderType !== "GATEWAY_IAM_ROLE") return undefined;
  const { service, region: given = region } = credential.credentialProvider.iamCredentialProvider;
  return { service, region: given };
}

export function apiKeyOf({ credentialProviderConfigurations = [] }: TargetDefinition): ApiKeyCredential | undefined {
  const [credential] = credentialProviderConfigurations;
  return credential?.credentialProviderType === "API_KEY"
    ? credential.credentialProvider.apiKeyCredentialProvider
    : undefined;
}
