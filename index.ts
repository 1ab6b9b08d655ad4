// Archway on one screen.
import { AlarmTopic } from "./components/alarm.ts";
import { stackConfig } from "./components/config.ts";
import { refuseNoted } from "./components/config-error.ts";
import { Console } from "./components/console/console.ts";
import { Identity } from "./components/identity/identity.ts";
import { McpGateway } from "./components/mcp-gateway/mcp-gateway.ts";
import { Proxy } from "./components/proxy/proxy.ts";
import { Survey } from "./components/proxy/survey.ts";
import { Skills } from "./components/skills/skills.ts";
import { stackCatalog } from "./components/stack-catalog.ts";
import { refuseStrayKeys } from "./components/stack-file.ts";
import { Metering } from "./components/tenant-platform/metering.ts";
import { Notices } from "./components/tenant-platform/notices.ts";
import { PlatformTable } from "./components/tenant-platform/platform-table.ts";
import { Reporting } from "./components/tenant-platform/reporting.ts";
import { TenantPlatform } from "./components/tenant-platform/tenant-platform.ts";
import { trialCapAtListPrice } from "./components/tenant-platform/trust-terms.ts";

refuseStrayKeys(import.meta.dirname);
const config = stackConfig();
stackCatalog(config); // A wrong catalog or alias stops the program before it declares anything.
new AlarmTopic("alarms", config);
const { table } = new PlatformTable("archway");
const identity = new Identity("identity", { config, table });
const mcpGateway = new McpGateway("mcp-gateway", { config, table, identity });
const skills = new Skills("skills", { table });
const notices = config.mail && new Notices("notices", { config, table });
const tenantPlatform = new TenantPlatform("tenant-platform", { config, table, identity, mcpGateway, skills, notices });
const { unsettled } = new Metering("meter", { config, table, notices });
if (config.stripe) new Reporting("report", { stripe: config.stripe, trialCap: trialCapAtListPrice(config), table });
const proxy = new Proxy("proxy", { config, table, identity, unsettled });
new Survey("survey", { config, table });
const { url: consolePages } = new Console("console", { config, discovery: tenantPlatform.discovery });
refuseNoted();

export const controlUrl = tenantPlatform.url;
export const proxyUrl = proxy.url;
export const mcpUrl = mcpGateway.url;
export const signInUrl = `https://auth.${config.domain}`;
export const consoleUrl = consolePages;
export const userPoolId = identity.userPool.id;
export const consoleClientId = identity.console.id;
export const tokenHelperClientId = identity.tokenHelper.id;
export const tokenHelperWriteClientId = identity.tokenHelperWrite.id;
export const skillsClientId = identity.skills.id;
