// The functions that alone may change what workspaces have outside the table, one for each outside system. What gets their links may
// invoke them, and has no right on those systems itself.
import type * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { invokeLink, type Link } from "../link.ts";
import type { McpGateway } from "../mcp-gateway/mcp-gateway.ts";
import type { Skills } from "../skills/skills.ts";
import { Accounts } from "./accounts.ts";
import type { Notices } from "./notices.ts";
import { Payments } from "./payments.ts";
import { TenantKeys } from "./tenant-keys.ts";

type AskedFunctionsArgs = {
  config: StackConfig;
  table: aws.dynamodb.Table;
  identity: Identity;
  notices: Notices | undefined;
  mcpGateway: McpGateway;
  skills: Skills;
};

/** The variables `askedFunctions` of handlers/contract.ts. */
export type AskedFunctionLinks = { TENANT_KEYS_ARN: Link; ACCOUNTS_ARN: Link; PAYMENTS_ARN?: Link };

export function askedFunctions(args: AskedFunctionsArgs, opts: pulumi.ComponentResourceOptions): AskedFunctionLinks {
  const { config, table, mcpGateway, skills, notices } = args;
  const tenantKeys = new TenantKeys("tenant-keys", { table, mcpGateway, skills }, opts);
  const accounts = new Accounts("accounts", args, opts);
  const payments = config.stripe && new Payments("payments", { config, stripe: config.stripe, table, notices }, opts);
  return {
    TENANT_KEYS_ARN: invokeLink(tenantKeys.function.arn),
    ACCOUNTS_ARN: invokeLink(accounts.function.arn),
    ...(payments && { PAYMENTS_ARN: invokeLink(payments.function.arn) }),
  };
}
