import { expect, test } from "@jest/globals";
import { reportQuotas, usualQuotas } from "../../../domain/marketplace/account-quotas.ts";

test("the use of each quota is measured in whole percents, rounded down so that an alarm does not ring early", async () => {
  const told: object[] = [];
  const inUse = async () => ({ api_key_providers: 40, gateways: 799, runtimes: 0, app_clients: 1_000 });
  await reportQuotas({ quotas: usualQuotas, inUse, reportUse: (percents) => told.push(percents) });
  expect(told).toEqual([{ api_key_providers: 80, gateways: 79, runtimes: 0, app_clients: 100 }]);
});
