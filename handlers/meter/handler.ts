// The meter, on a schedule. What fails is logged and done by the next run.
import middy from "@middy/core";
import { Meter, type MeterDependencies } from "../../domain/spending/metering.ts";

export function meterHandler(dependencies: MeterDependencies) {
  const meter = new Meter(dependencies);
  return middy().handler(async () => {
    try {
      await meter.run();
    } catch (error) {
      dependencies.log.problem("The meter's run failed", {}, error);
      throw error;
    }
  });
}
