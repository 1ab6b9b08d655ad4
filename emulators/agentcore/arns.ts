// The ARNs of AgentCore's resources, as the service authorization reference has them: the regular expressions of AWS's model fit
// neither those nor what the service gives.
import { accountId } from "../aws/account.ts";

export function arnOf(region: string, resource: string): string {
  return `arn:aws:bedrock-agentcore:${region}:${accountId}:${resource}`;
}

export const gatewayArn = (region: string, id: string) => arnOf(region, `gateway/${id}`);
export const vaultArn = (region: string) => arnOf(region, "token-vault/default");
export const providerArn = (region: string, name: string) => `${vaultArn(region)}/apikeycredentialprovider/${name}`;
export const runtimeArn = (region: string, id: string) => arnOf(region, `runtime/${id}`);
export const directoryArn = (region: string) => arnOf(region, "workload-identity-directory/default");
export const identityArn = (region: string, name: string) => `${directoryArn(region)}/workload-identity/${name}`;
