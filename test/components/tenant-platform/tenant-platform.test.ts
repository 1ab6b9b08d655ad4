import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Identity } from "../../../components/identity/identity.ts";
import { McpGateway } from "../../../components/mcp-gateway/mcp-gateway.ts";
import { Skills } from "../../../components/skills/skills.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { TenantPlatform } from "../../../components/tenant-platform/tenant-platform.ts";
import { discoverySchema } from "../../../domain/access/discovery.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const identity = new Identity("identity", { config, table });
  const mcpGateway = new McpGateway("mcp-gateway", { config, table, identity });
  const skills = new Skills("skills", { table });
  new TenantPlatform("tenant-platform", { config, table, identity, mcpGateway, skills, notices: undefined });
});
const controlArn = "arn:aws:lambda:eu-central-1:000000000000:function:control-local";
const api = program.get("aws:apigatewayv2/api:Api", "tenant-platform");

test("the API answers on its own domain only", () => {
  expect(api.inputs).toEqual({ protocolType: "HTTP", disableExecuteApiEndpoint: true });
  const domain = program.get("aws:apigatewayv2/domainName:DomainName", "tenant-platform").inputs;
  expect(domain).toMatchObject({
    domainName: "api.localhost",
    domainNameConfiguration: { endpointType: "REGIONAL", securityPolicy: "TLS_1_2" },
  });
  expect(domain.domainNameConfiguration.certificateArn).toMatch(/^arn:aws:acm:eu-central-1:/);
});

test("the domain leads to the API's default stage", () => {
  expect(program.get("aws:apigatewayv2/stage:Stage", "tenant-platform").inputs).toMatchObject({
    name: "$default",
    autoDeploy: true,
  });
  expect(program.get("aws:apigatewayv2/apiMapping:ApiMapping", "tenant-platform").inputs).toMatchObject({
    domainName: "api.localhost",
    stage: "$default",
  });
  expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "tenant-platform-api").inputs).toMatchObject({
    name: "api.localhost",
    type: "CNAME",
    content: "d-local.execute-api.eu-central-1.amazonaws.com",
    proxied: false,
  });
});

test("every request but the payment provider's is routed to the control function", () => {
  const integration = program.get("aws:apigatewayv2/integration:Integration", "tenant-platform").inputs;
  expect(integration).toMatchObject({
    integrationType: "AWS_PROXY",
    integrationUri: controlArn,
    payloadFormatVersion: "2.0",
  });
  const routes = program.ofType("aws:apigatewayv2/route:Route").map(({ inputs }) => inputs);
  expect(routes).toEqual([
    { apiId: integration.apiId, routeKey: "$default", target: expect.stringMatching(/^integrations\/.+/) },
    expect.objectContaining({ apiId: integration.apiId, routeKey: "POST /v1/webhooks/stripe" }),
  ]);
});

test("only the API may call the control function", () => {
  expect(program.get("aws:lambda/permission:Permission", "control").inputs).toEqual({
    action: "lambda:InvokeFunction",
    function: "control-local",
    principal: "apigateway.amazonaws.com",
    sourceArn: expect.stringMatching(/^arn:aws:execute-api:eu-central-1:000000000000:[a-z0-9]+\/\*$/),
  });
});

test("the control function gets the stack's settings, and the app clients whose tokens it accepts", () => {
  const { variables } = program.get("aws:lambda/function:Function", "control").inputs.environment;
  expect(variables).toMatchObject({
    TABLE_NAME: "archway-local",
    USER_POOL_ID: expect.stringMatching(/^eu-central-1_/),
    SCOPE_PREFIX: "platform",
    PROXY_DOMAIN: "proxy.localhost",
    VENDOR_SEGMENT: "vendor",
    DEFAULT_REGION: "eu-central-1",
    APPROVAL: "automatic",
    MAX_SERVICE_ACCOUNTS: "100",
    MAX_INVITATION_MAILS: "20",
    MODEL_ALIASES: '{"latest":"claude-opus-5-5"}',
  });
  expect(new Set(JSON.parse(variables.CONTROL_CLIENT_IDS)).size).toBe(4);
});

test("the control function's role may read and write items of the table, but never scan it", () => {
  const policy = program.get("aws:iam/rolePolicy:RolePolicy", "control").inputs.policy;
  const actions = JSON.parse(policy).Statement.flatMap(({ Action }: { Action: string[] }) => Action);
  expect([...new Set(actions)].sort()).toEqual([
    "dynamodb:BatchGetItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
    "lambda:InvokeFunction",
    "logs:CreateLogStream",
    // Of the log of tools' calls.
    "logs:GetQueryResults",
    "logs:PutLogEvents",
    "logs:StartQuery",
    "logs:StopQuery",
    // Of the addresses to which OpenAPI documents are uploaded.
    "s3:DeleteObject",
    "s3:GetObject",
    "s3:ListBucket",
    "s3:PutObject",
    "ses:SendEmail",
    // Of what is to be purged.
    "sqs:SendMessage",
  ]);
});

test("clients are told the addresses and app clients as the program declares them", () => {
  const { DISCOVERY } = program.get("aws:lambda/function:Function", "control").inputs.environment.variables;
  const declared = (name: string) => program.get("aws:cognito/userPoolClient:UserPoolClient", name).inputs;
  const described = (name: string) => ({
    client_id: expect.any(String),
    redirect_uris: declared(name).callbackUrls,
    scopes: declared(name).allowedOauthScopes,
  });
  const ownAccount = "aws.cognito.signin.user.admin";
  const { scopes, ...console } = described("identity-console");
  expect(discoverySchema.parse(JSON.parse(DISCOVERY))).toEqual({
    issuer: expect.stringMatching(/^https:\/\/cognito-idp\.eu-central-1\.amazonaws\.com\/eu-central-1_/),
    openid_configuration_url: expect.stringMatching(/_\w+\/\.well-known\/openid-configuration$/),
    api_url: "https://api.localhost",
    auth_url: "https://auth.localhost",
    proxy_url: "https://{slug}.proxy.localhost/vendor",
    vendor: "vendor",
    region_header: "X-Platform-Region",
    providers: ["Google"],
    clients: {
      // What a person's own account takes is asked for when it is needed, and not at every sign-in.
      console: {
        ...console,
        scopes: scopes.filter((scope: string) => scope !== ownAccount),
        logout_uris: declared("identity-console").logoutUrls,
      },
      token_helper: described("identity-token-helper"),
      token_helper_write: described("identity-token-helper-write"),
      skills: described("identity-skills"),
    },
  });
  expect(scopes).toContain(ownAccount);
});
