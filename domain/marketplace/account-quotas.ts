// How many gateways, runtimes, credentials and app clients AWS lets the account have, which all workspaces of all its stacks share. Somebody
// has to ask AWS for more before a number is reached, so the use is measured each hour.

/** A number for each kind of resource. */
export type AccountQuotas = { api_key_providers: number; gateways: number; runtimes: number; app_clients: number };

export type QuotaName = keyof AccountQuotas;

/** The numbers of a new account, until AWS raises them (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html, cognito/latest/developerguide/quotas.html). */
export const usualQuotas: AccountQuotas = {
  api_key_providers: 50,
  gateways: 1_000,
  runtimes: 1_000,
  app_clients: 1_000,
};

/** The percentage of a quota from which on an alarm rings. */
export const alarmPercent = 80;

export type QuotaDependencies = {
  quotas: AccountQuotas;
  /** Counts the resources in the account. */
  inUse: () => Promise<AccountQuotas>;
  /** Takes whole percents of each quota. */
  reportUse: (percents: AccountQuotas) => void;
};

export async function reportQuotas({ quotas, inUse, reportUse }: QuotaDependencies): Promise<void> {
  const used = await inUse();
  const percent = (name: QuotaName) => Math.floor((100 * used[name]) / quotas[name]);
  reportUse({
    api_key_providers: percent("api_key_providers"),
    gateways: percent("gateways"),
    runtimes: percent("runtimes"),
    app_clients: percent("app_clients"),
  });
}
