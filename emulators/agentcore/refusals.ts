// AgentCore's refusals: code and status as its model has them (@aws-sdk/client-bedrock-agentcore-control, and AWS's Smithy model).
import { AwsError } from "../aws/service.ts";

export const invalid = (message: string) => new AwsError("ValidationException", message);
export const conflict = (message: string) => new AwsError("ConflictException", message, 409);
export const notFound = (message: string) => new AwsError("ResourceNotFoundException", message, 404);
export const overQuota = (message: string) => new AwsError("ServiceQuotaExceededException", message, 402);
export const throttled = (message: string) => new AwsError("ThrottlingException", message, 429);
