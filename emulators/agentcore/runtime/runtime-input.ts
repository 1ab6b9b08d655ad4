// What defines an agent runtime, with the limits of AWS's model (@aws-sdk/client-bedrock-agentcore-control, CreateAgentRuntimeRequest).
// Code for Node in a bucket is emulated, and no image.
import * as z from "zod";

const s3Location = z.strictObject({
  bucket: z.string().min(3),
  prefix: z.string().min(1).max(1024),
  versionId: z.string().optional(),
});

const code = z.strictObject({
  code: z.strictObject({ s3: s3Location }),
  runtime: z.literal("NODE_22"),
  entryPoint: z.array(z.string().min(1).max(128)).min(1).max(2),
});

const lifecycleSeconds = z.int().min(60).max(28_800);

/** The quotas "environment variables": 50 of them, names of 1 to 100 characters, values of 5,000 at most. */
const environment = z
  .record(z.string().min(1).max(100), z.string().max(5_000))
  .refine((entries) => Object.keys(entries).length <= 50, "must have 50 entries at most");

export const runtimeMembers = {
  agentRuntimeArtifact: z.strictObject({ codeConfiguration: code }),
  roleArn: z.string().startsWith("arn:aws:iam::"),
  networkConfiguration: z.strictObject({ networkMode: z.literal("PUBLIC") }).optional(),
  description: z.string().min(1).max(1200).optional(),
  protocolConfiguration: z.strictObject({ serverProtocol: z.literal("MCP") }),
  requestHeaderConfiguration: z
    .strictObject({ requestHeaderAllowlist: z.array(z.string().min(1)).min(1).max(20) })
    .optional(),
  lifecycleConfiguration: z
    .strictObject({
      idleRuntimeSessionTimeout: lifecycleSeconds.default(900),
      maxLifetime: lifecycleSeconds.default(28_800),
    })
    .prefault({}),
  environmentVariables: environment.optional(),
};

const definition = z.object(runtimeMembers);
export type RuntimeDefinition = z.output<typeof definition>;

/** The members that define a version of a runtime, out of a call's input. */
export function runtimeDefinitionOf(input: object): RuntimeDefinition {
  return definition.parse(input);
}
